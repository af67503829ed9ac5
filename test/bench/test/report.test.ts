import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Book } from '../measure/book.ts'
import { REST } from '../measure/bounds.ts'
import { seededRandom } from '../measure/random.ts'
import { NAMES } from '../names.ts'
import { svgOf } from '../report/chart.ts'
import { factor, short, verdict, withUnit } from '../report/format.ts'
import { makeReport, type Report } from '../report/report.ts'
import { terminalText } from '../report/terminal.ts'
import { betweenMarkers, writeDocs } from '../report/write-docs.ts'

const IDLE = 'hello-python-idle'

function report(): Report {
  const book = new Book()
  const times = (contender: string, ...values: number[]) =>
    book.add({ case: IDLE, contender, metric: 'time', unit: 'ms' }, ...values)
  times(NAMES.fresh, 14, 15, 16)
  times(NAMES.own, 11, 11, 11)
  times(NAMES.loop, 100, 101, 99)
  book.note('A note.')
  book.miss({ case: IDLE, contender: NAMES.plain, kind: 'impossible', reason: 'needs root' })
  const life = { programs: 3, stepsMs: { start: 60 }, processorMs: { dockerd: 30, [REST]: 70 } }
  return makeReport({
    options: { quick: false, only: undefined, seed: 5, json: undefined, docs: undefined },
    place: {
      machine: { cpu: 'A', cores: 2, memoryGb: 8, kernel: '6.1', cgroup: 'v2', storage: 'overlay2' },
      versions: { node: '24.0.0' },
      loadAverage: [0, 0, 0],
      othersUseCores: 0,
    },
    bench: { book, random: seededRandom(5), bounds: new Map([[NAMES.fresh, life]]) },
    cases: [{ name: IDLE, title: 'hello', run: async () => {} }],
    seconds: 12.3,
  })
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'isopod-bench-docs-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('numbers', () => {
  it('are rounded to about three significant digits', () => {
    expect([0.123, 9.876, 12.345, 123.4, 12_345].map(short)).toEqual([
      '0.12',
      '9.88',
      '12.3',
      '123',
      '12,345',
    ])
    expect(withUnit(0.5, 'share')).toBe('50 %')
    expect(withUnit(null, 'ms')).toBe('–')
    expect(factor(6.2)).toBe('6.20x')
    expect([true, false, null].map(verdict)).toEqual(['met', 'missed', 'open'])
  })
})

describe('the page of the benchmark', () => {
  it('has numbers, tables, charts and costs, and keeps the text outside of its markers', async () => {
    const path = await folder()
    const page = join(path, 'README.md')
    await writeDocs(report(), path)
    const first = await readFile(page, 'utf8')
    await writeFile(page, `Before.\n${first}After.\n`)
    await writeDocs(report(), path)
    const text = await readFile(page, 'utf8')
    expect(text).toBe(`Before.\n${first}After.\n`)
    expect(text).toMatch(
      /\| met +\| hello-python-idle +\| isopod fresh +\| p50 15.0 ms +\| 0.73x the program itself/,
    )
    expect(text).toMatch(/\| isopod fresh +\| time +\| 15.0 ms \| 14.0 – 16.0/)
    expect(text).toMatch(/\| isopod fresh +\| 30.0 +\| 70.0 +\| 100 +\| 20.0 \/s/)
    expect(text).toContain('- A note.')
    expect(text).toContain('plain interpreter: impossible: needs root')
    expect(JSON.parse(await readFile(join(path, 'results.json'), 'utf8'))).toEqual(report())
    expect(await readFile(join(path, `${IDLE}.svg`), 'utf8')).toContain('dockerode loop')
  })

  it('is refused if it has no markers', () => {
    expect(() => betweenMarkers('# Something else\n', 'x')).toThrow(/must have the lines/)
  })
})

describe('the table at the end of a run', () => {
  it('lists the cases that were run and no others', () => {
    const table = terminalText(report())
    expect(table).toMatch(
      /^met +hello-python-idle +isopod fresh +p50 15.0 ms +6.67x \(dockerode loop\) +≥ 6x faster$/m,
    )
    expect(table).toMatch(/^hello-python-idle +dockerode loop +time +100 ms +101 +101$/m)
    expect(table).not.toContain('humaneval')
    expect(table).toContain('seed 5')
  })
})

describe('a chart', () => {
  it('has bars in proportion to their values, and escapes its labels', async () => {
    const svg = await svgOf({
      title: 'a < b & c',
      unit: 'ms',
      bars: [
        { label: 'isopod fresh', value: 50, interval: [40, 60] },
        { label: 'x <script>', value: 100, interval: [90, 100] },
      ],
    })
    const [ours = 0, other] = [...svg.matchAll(/aria-roledescription="bar" d="M0,[\d.]+h([\d.]+)v/g)].map(
      ([, width]) => Number(width),
    )
    expect(ours).toBeGreaterThan(0)
    expect(other).toBeCloseTo(ours * 2, 0)
    expect(svg).toContain('a &lt; b &amp; c')
    expect(svg).not.toContain('<script>')
  })
})
