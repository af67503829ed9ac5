import { type JobInput, type Language, parseJob } from '@isopod/protocol'
import { type Execution, type Outcome, TimeBudget } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { sampleOutcome } from '../../../../test/support/samples.ts'
import { judgeJob } from '../../src/judge-job.ts'
import { footprintOf, type JudgingPlan, planJudging } from '../../src/plan-judging.ts'
import { rulesOf } from '../support/rules.ts'

const base = { version: '1', aliases: [], default_limits: {}, timeout_factor: 1 }
const able = {
  ...base,
  name: 'able',
  filename: 'main.x',
  script: { program: '{code}|{script}|{report}|{tag}', edits: [] },
}
const edited = {
  ...base,
  name: 'edited',
  filename: 'main.y',
  script: { program: '{code}{script}', edits: [{ find: 'end', replace: '' }] },
}
const part = { library: '', main: '{library_json}' }
const split = {
  ...able,
  name: 'split',
  script: { ...able.script, split: { env: {}, code: part, judge: part, first_question: 'run' } },
}
const unable = { ...base, name: 'unable', filename: 'main.z' }
const languages = [able, edited, split, unable] as unknown as Language[]
const rules = rulesOf(languages, { memoryMb: 512 })

function plan(changes: Partial<JobInput>) {
  const job = parseJob({ language: 'able', code: 'code', tests: [{ script: 'one' }], ...changes })
  const delivery = { id: 'j', attempt: 1, job }
  return planJudging(delivery, rules.planExecution(delivery).execution as Execution, rules)
}

function planned(changes: Partial<JobInput>): JudgingPlan {
  const planned = plan(changes)
  if (planned === undefined || 'problems' in planned) throw new Error(`not planned: ${planned?.problems}`)
  return planned
}

/** Runs scripts on an otherwise idle worker. */
function judge(changes: Partial<JobInput>, run: (execution: Execution) => Promise<Outcome>) {
  const options = {
    sandbox: { run },
    checks: { check: () => Promise.reject(new Error('scripts have no checker')) },
    retry: {
      wasOvercommitted: () => false,
      runExclusively: () => Promise.reject(new Error('not due')),
      resume: () => Promise.reject(new Error('not due')),
    },
  }
  const { signal } = new AbortController()
  return judgeJob(planned(changes), options, { signal, budget: new TimeBudget(600) })
}

function outcome(changes: Partial<Outcome> = {}): Outcome {
  const timings = { acquire: 1, run: 2, collect: 3 }
  return sampleOutcome({ report: new Uint8Array(), wallMs: 2, memoryPeakBytes: 5, timings, ...changes })
}

describe('the plan of scripts', () => {
  it('lists the languages that can run scripts if the job’s language cannot', () => {
    expect(plan({ language: 'unable' })).toEqual({
      problems: [
        'tests: unable has no way to run a script yet; the languages that have one are able, edited, split',
      ],
    })
  })

  it('reports every problem of every test case', () => {
    const tests = [{ script: 'no' }, { script: 'the end' }, { script: 'end', limits: { memoryMb: 1000 } }]
    expect(plan({ language: 'edited', tests })).toEqual({
      problems: [
        'tests.0.script: must contain a match of end, where the report of its end is inserted',
        expect.stringMatching(/^tests\.2: limits\.memoryMb: /),
      ],
    })
  })

  it('refuses to run code twice that has a network', () => {
    expect(plan({ language: 'split', separation: 'both', network: 'open' })).toEqual({
      problems: [expect.stringMatching(/^separation: must be "process" or "none" with a network/)],
    })
  })

  it('has the footprint of the largest test case', () => {
    const tests = [
      { script: 'a' },
      { script: 'b', limits: { memoryMb: 400 } },
      { script: 'c', limits: { cpus: 1 } },
    ]
    expect(footprintOf(planned({ tests }))).toEqual({ memoryMb: 400, cpus: 1 })
  })
})

describe('scripts', () => {
  it('run after the code, each with its own secrets', async () => {
    const ran: Execution[] = []
    const job = { code: 'c', tests: [{ script: 'one' }, { script: 'two' }] }
    for (let round = 0; round < 2; round++) {
      await judge(job, async (execution) => {
        ran.push(execution)
        return outcome()
      })
    }
    expect(ran.map(({ id }) => id)).toEqual(['j', 'j.2', 'j', 'j.2'])
    const programs = ran.map(({ code, report }) => ({ parts: code.split('|'), report }))
    for (const { parts, report } of programs) {
      expect(parts[2]).toBe(`/workspace/${report}`)
      expect(report).toMatch(/^isopod-[0-9a-f]{32}$/)
      expect(parts[3]).toMatch(/^x[0-9a-f]{32}$/)
      expect(parts[3]).not.toContain(report?.slice(-32))
    }
    expect(programs.map(({ parts }) => parts[1])).toEqual(['one', 'two', 'one', 'two'])
    expect(new Set(programs.flatMap(({ parts }) => [parts[2], parts[3]])).size).toBe(8)
  })

  it('result in the first unsuccessful outcome and the total time', async () => {
    const tests = [{ script: 'one' }, { script: 'two' }, { script: 'three' }]
    const outcomes = [
      outcome(),
      outcome({ status: 'timeout', wallMs: 100, memoryPeakBytes: 7 }),
      outcome({ status: 'execution_error', exitCode: 1, cpuUserMs: null }),
    ]
    const { outcome: all, judged } = await judge({ tests }, async () => outcomes.shift() ?? outcome())
    expect(all).toMatchObject({
      status: 'timeout',
      wallMs: 104,
      cpuUserMs: null,
      cpuSysMs: 3,
      memoryPeakBytes: 7,
    })
    expect(all.timings).toEqual({ acquire: 3, run: 6, collect: 9 })
    expect(judged.summary).toEqual({ passed: 1, total: 3, score: 1 / 3, status: 'timeout' })
  })

  // promise: judge-errors
  it('in a process of their own get a second try if their judge fails, and only then', async () => {
    const passed = { end: 'passed', message: '', stdout: '', printed: 0 }
    const verdictOf = async (...reports: (object | undefined)[]) => {
      const ids: string[] = []
      const { judged } = await judge({ language: 'split' }, async ({ id }) => {
        ids.push(id)
        const report = id.endsWith('.judge') ? reports.shift() : undefined
        return outcome({ report: report && Buffer.from(JSON.stringify(report)) })
      })
      return [judged.tests?.[0]?.verdict, ids.length / 2]
    }
    expect(await verdictOf(passed)).toEqual(['passed', 1])
    expect(await verdictOf(undefined, passed)).toEqual(['passed', 2])
    expect(await verdictOf(undefined, undefined)).toEqual(['judge_error', 2])
    expect(await verdictOf({ ...passed, end: 'broken' })).toEqual(['judge_error', 1])
  })

  // promise: split-judging
  it('in a process of their own get containers of their own for a second try, so that code learns nothing of the first', async () => {
    const containers: [string, boolean][] = []
    const job = { language: 'split', reuse: 'batch', batchId: 'b' } as const
    await judge(job, async ({ id, sharedBy }) => {
      containers.push([id, sharedBy !== undefined])
      return outcome({ report: undefined })
    })
    expect(containers).toEqual([
      ['j', true],
      ['j.judge', true],
      ['j.retry', false],
      ['j.retry.judge', false],
    ])
  })

  // promise: split-judging
  it('in a process of their own blame the judge’s end on no caller if the code can have caused it', async () => {
    const verdictOf = async (ofJudge: object, endsFirst = false) => {
      const { judged } = await judge({ language: 'split' }, async ({ id, channel }) => {
        if (!id.endsWith('.judge') && endsFirst) channel?.end()
        return outcome(id.endsWith('.judge') ? ofJudge : {})
      })
      return judged.tests?.[0]
    }
    const crashed = { status: 'execution_error', exitCode: null, signal: 'SIGABRT' }
    const full = { status: 'memory_exceeded', limit: 'memory' }
    for (const end of [crashed, full]) expect(await verdictOf(end)).toMatchObject({ verdict: 'unverified' })
    expect(await verdictOf(full, true)).toMatchObject({
      verdict: 'wrong_answer',
      suspicious: expect.any(String),
    })
    // Of two programs that the same moment ends, the judge may be first.
    expect(await verdictOf({ status: 'timeout', limit: 'job' })).toMatchObject({ verdict: 'timeout' })
  })

  // promise: split-judging
  it('in a process of their own get no second try that code can bring about once it has failed', async () => {
    const runOf = async (ofJudge: object, ofCode: object = {}) => {
      let runs = 0
      const { judged, outcome: all } = await judge({ language: 'split' }, async ({ id }) => {
        runs++
        return outcome(id.endsWith('.judge') ? ofJudge : ofCode)
      })
      return [judged.tests?.[0]?.verdict, all.status, runs / 2]
    }
    // With a value that takes all memory of the judge.
    const full = { status: 'memory_exceeded', limit: 'memory', report: undefined }
    const crashed = { status: 'execution_error', exitCode: null, signal: 'SIGABRT', report: undefined }
    for (const end of [full, crashed]) expect(await runOf(end)).toEqual(['unverified', 'success', 1])
    // By not answering when the judge asks what has changed.
    const failed = { end: 'assertion', message: 'm', stdout: '', printed: 0 }
    const report = { report: Buffer.from(JSON.stringify(failed)) }
    const late = { status: 'timeout', limit: 'timeout', exitCode: null }
    expect(await runOf(report, late)).toEqual(['wrong_answer', 'execution_error', 1])
  })

  // promise: both-separations
  it('run in both ways, of which neither is believed alone', async () => {
    const verdictOf = async (ofJudge: object, inOneProcess: object, changes: Partial<JobInput> = {}) => {
      const ids: string[] = []
      const job = { language: 'split', separation: 'both', ...changes } as const
      const { judged, outcome: all } = await judge(job, async ({ id }) => {
        ids.push(id)
        if (id.endsWith('.confirm')) return outcome(inOneProcess)
        const report = { end: 'passed', message: 'm', stdout: '', printed: 0, ...ofJudge }
        return outcome(id.endsWith('.judge') ? { report: Buffer.from(JSON.stringify(report)) } : {})
      })
      return [judged.tests?.[0]?.verdict, ids.includes('j.confirm'), all.status]
    }
    const failed = { status: 'execution_error', exitCode: 1 }
    expect(await verdictOf({}, {})).toEqual(['passed', true, 'success'])
    expect(await verdictOf({}, failed)).toEqual(['unverified', true, 'success'])
    expect(await verdictOf({ end: 'assertion' }, {})).toEqual(['unverified', true, 'execution_error'])
    expect(await verdictOf({ end: 'assertion' }, failed)).toEqual(['wrong_answer', true, 'execution_error'])
    expect(await verdictOf({ end: 'unverified' }, failed)).toEqual(['unverified', false, 'success'])
    expect(await verdictOf({}, failed, { separation: 'process' })).toEqual(['passed', false, 'success'])
    // What the job's time has cut off is no success, and no failure that a second run could excuse.
    const late = { status: 'timeout', limit: 'job' }
    expect(await verdictOf({}, late)).toEqual(['timeout', true, 'timeout'])
    expect(await verdictOf({ end: 'assertion' }, late)).toEqual(['wrong_answer', true, 'execution_error'])
    // A second run that the host starved decides nothing: both are made again.
    expect(await verdictOf({}, { status: 'timeout', limit: 'time' })).toEqual(['unverified', true, 'timeout'])
  })

  it('reject with the error of the sandbox', async () => {
    const fault = new Error('the engine is gone')
    await expect(judge({}, () => Promise.reject(fault))).rejects.toBe(fault)
  })
})
