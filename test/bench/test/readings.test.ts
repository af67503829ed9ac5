import { describe, expect, it } from 'vitest'
import { humanEval, mbpp } from '../../support/corpora.ts'
import { spread, wholePrograms } from '../cases/corpus.ts'
import { growth } from '../cases/worker-memory.ts'
import { inLanes } from '../contenders/contender.ts'
import { machineTime, parseStat, processorTime, residentMb, secondsOf } from '../measure/processor.ts'
import { parseMetrics } from '../measure/scrape.ts'
import { workerSettings } from '../stage.ts'

describe('parseMetrics', () => {
  it('sums a metric over all labels that were not asked for', () => {
    const metrics = parseMetrics(
      [
        '# HELP a_total Something.',
        'a_total{op="start",outcome="ok"} 2',
        'a_total{op="start",outcome="failed"} 1',
        'a_total{op="create",outcome="ok"} 10',
        'b 1.5e3',
      ].join('\n'),
    )
    expect(metrics.sum('a_total')).toBe(13)
    expect(metrics.sum('a_total', { op: 'start' })).toBe(3)
    expect(metrics.sum('b')).toBe(1500)
    expect(metrics.sum('absent')).toBe(0)
  })
})

describe('processor time', () => {
  it('includes the ended children of a process, even if its name contains spaces and parentheses', () => {
    const stat = '12 (a) b (c) S 1 12 12 0 -1 4194560 1 2 3 4 100 50 25 25 20 0 1 0 99'
    expect(parseStat(stat)).toEqual({ command: 'a) b (c', seconds: 2 })
    expect(parseStat('')).toBeUndefined()
  })

  it('of a machine counts waiting for a disk as idle', () => {
    expect(machineTime('cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1\n')).toEqual({ busy: 2, all: 10 })
  })

  it('of a command is the time between two readings, including processes that started in between', () => {
    const at = (...all: [number, string, number][]) => ({
      machine: 0,
      processes: new Map(all.map(([pid, command, seconds]) => [pid, { command, seconds }] as const)),
    })
    const before = at([1, 'redis', 5], [2, 'redis', 3], [4, 'node', 1])
    const after = at([1, 'redis', 6], [3, 'redis', 0.5], [4, 'node', 2])
    expect(secondsOf('redis', before, after)).toBe(1.5)
    expect(secondsOf(4, before, after)).toBe(1)
  })

  it('and resident memory of this process can be read', () => {
    const time = processorTime()
    expect(secondsOf(process.pid, { machine: 0, processes: new Map() }, time)).toBeGreaterThan(0)
    expect(residentMb(process.pid)).toBeGreaterThan(20)
    expect(residentMb(process.pid, 'RssAnon')).toBeLessThan(residentMb(process.pid))
    expect(residentMb(2 ** 30)).toBeNaN()
  })
})

describe('the settings of a measured worker', () => {
  it('are reported if they differ from the default, without the paths of files', () => {
    const env = {
      ISOPOD_SLOTS: '3',
      SANDBOX_LANGUAGE_CONFIG_FILE: '/a/b.yaml',
      ISOPOD_STATE_DIR: '/c',
      PATH: '/bin',
    }
    expect(workerSettings(env)).toEqual({
      ISOPOD_SLOTS: '3',
      SANDBOX_LANGUAGE_CONFIG_FILE: '…',
      ISOPOD_SELF_TEST: 'false',
    })
  })
})

describe('the growth of a worker’s memory', () => {
  it('is the difference between the medians of later and earlier readings, so outliers do not count', () => {
    const flat = [1, 9, 1, 1, 5, 5, 99, 5, 5, 5, 5, 5, 5, 5, 5, 5]
    expect(growth(flat)).toEqual({ late: 0, half: 0 })
    expect(growth(Array.from({ length: 200 }, (_, at) => at / 10))).toEqual({
      late: expect.closeTo(5, 5),
      half: expect.closeTo(10, 5),
    })
  })
})

describe('the programs', () => {
  it('are all problems of HumanEval and MBPP, each with its tests', () => {
    const [first, second] = [wholePrograms(humanEval()), wholePrograms(mbpp())]
    expect([first.length, second.length]).toEqual([164, 974])
    for (const { code } of first) expect(code).toMatch(/\ncheck\(\w+\)\n$/)
    for (const { code } of second) expect(code).toContain('assert ')
  })

  it('of a quick run are spread evenly over the list', () => {
    const list = Array.from({ length: 10 }, (_, at) => at)
    expect(spread(list, 5)).toEqual([0, 2, 4, 6, 8])
    expect(spread(list, 10)).toEqual(list)
    expect(spread(Array.from({ length: 974 }), 24)).toHaveLength(24)
  })
})

describe('inLanes', () => {
  it('runs at most the given number of tasks at once, and keeps the order of the results', async () => {
    let now = 0
    let most = 0
    const results = await inLanes([5, 1, 3, 2, 4], 2, async (ms) => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setTimeout(resolve, ms))
      now -= 1
      return ms * 2
    })
    expect(results).toEqual([10, 2, 6, 4, 8])
    expect(most).toBe(2)
  })
})
