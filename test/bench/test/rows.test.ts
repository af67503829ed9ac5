import { describe, expect, it } from 'vitest'
import { CASES } from '../cases/all.ts'
import { Book } from '../measure/book.ts'
import { seededRandom } from '../measure/random.ts'
import { NAMES } from '../names.ts'
import { type Measured, rowsOf } from '../report/rows.ts'
import { TARGETS } from '../report/targets.ts'

const IDLE = 'hello-python-idle'

/** Measurements with 100 times of each of two modes of Isopod, and of the loop, which takes 100 ms. */
function measured(fresh: number, own: number): Measured & { readonly book: Book } {
  const book = new Book()
  const times = (contender: string, ms: number) =>
    book.add({ case: IDLE, contender, metric: 'time', unit: 'ms' }, ...Array.from({ length: 100 }, () => ms))
  times(NAMES.fresh, fresh)
  times(NAMES.own, own)
  times(NAMES.loop, 100)
  return { book, summaries: book.summaries(seededRandom(1)), missing: book.missing, cases: [IDLE] }
}

function row(rows: ReturnType<typeof rowsOf>, words: string) {
  return rows.find(({ target }) => target === words)
}

describe('the rows of a run', () => {
  it('begin with one for each promise, even if nothing was measured', () => {
    const rows = rowsOf({ summaries: [], missing: [], cases: [] })
    expect(rows.map(({ target }) => target)).toEqual(TARGETS.map(({ words }) => words))
    expect(rows.every(({ met, value, reason }) => met === null && value === null && reason)).toBe(true)
  })

  it('show whether a promise is met, exactly at its limit, too', () => {
    const own = '≤ the program’s own run time + 6 ms'
    expect(row(rowsOf(measured(17, 11)), own)).toMatchObject({ met: true, value: 17, ratio: 11 / 17 })
    expect(row(rowsOf(measured(17.1, 11)), own)).toMatchObject({ met: false })
    const loop = '≥ 6x faster'
    expect(row(rowsOf(measured(100 / 6, 11)), loop)).toMatchObject({ met: true, baseline: NAMES.loop })
    expect(row(rowsOf(measured(17, 11)), loop)).toMatchObject({ met: false, ratio: 100 / 17 })
  })

  it('compare rates inversely to times, because higher rates are better', () => {
    const book = new Book()
    for (const [contender, rate] of [
      [NAMES.queue, 2000],
      [NAMES.bullmq, 10_000],
    ] as const)
      book.add({ case: 'queue-alone', contender, metric: 'rate', unit: '/s' }, rate)
    const summaries = book.summaries(seededRandom(1))
    const rows = rowsOf({ summaries, missing: [], cases: ['queue-alone'] })
    const found = rows.find(({ case: name }) => name === 'queue-alone')
    expect(found).toMatchObject({ met: false, value: 2000, ratio: 0.2, baseline: NAMES.bullmq })
  })

  it('leave a promise open if its contender or its baseline is missing, and give the reason', () => {
    const { summaries } = measured(10, 11)
    const missing = [
      { case: IDLE, contender: NAMES.dockerRun, kind: 'impossible', reason: 'no such command' },
    ] as const
    const found = row(rowsOf({ summaries, missing, cases: [IDLE] }), '≥ 12x faster')
    expect(found).toMatchObject({ met: null, reason: 'docker run: no such command' })
    const open = row(rowsOf({ summaries, missing, cases: [IDLE] }), '≤ 8 ms')
    expect(open).toMatchObject({ met: null, reason: 'not measured' })
  })

  it('show p50, p95 and p99 of times; the bad percentiles of a rate are its low ones', () => {
    const book = new Book()
    const values = Array.from({ length: 101 }, (_, at) => at)
    book.add({ case: 'a', contender: 'x', metric: 'time', unit: 'ms' }, ...values)
    book.add({ case: 'a', contender: 'x', metric: 'rate', unit: '/s' }, ...values)
    const summaries = book.summaries(seededRandom(1))
    const rows = rowsOf({ summaries, missing: [], cases: ['a'] }, [])
    expect(rows.map(({ metric, value }) => [metric, value])).toEqual([
      ['p50', 50],
      ['p95', 95],
      ['p99', 99],
      ['rate', 50],
    ])
    expect(summaries[1]).toMatchObject({ p95: 5, p99: 1, best: 100 })
  })

  it('show the mean of shares', () => {
    const book = new Book()
    book.add({ case: 'a', contender: 'x', metric: 'share preloaded', unit: 'share' }, 1, 1, 1, 0)
    expect(book.summaries(seededRandom(1))[0]).toMatchObject({ value: 0.75, samples: 4 })
  })
})

describe('the promises', () => {
  it('each name an existing case', () => {
    const names = CASES.map(({ name }) => name)
    for (const target of TARGETS) expect(names).toContain(target.case)
    expect(new Set(names).size).toBe(names.length)
  })
})
