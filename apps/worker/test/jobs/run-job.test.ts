import { setTimeout as sleep } from 'node:timers/promises'
import { OutputChecks } from '@isopod/judging'
import { type Language, parseJob } from '@isopod/protocol'
import { type Delivery, JobInterrupted } from '@isopod/queue'
import type { ContainerOrigin, Execution, ExecutionOptions, Outcome, Sandbox } from '@isopod/sandbox'
import { describe, expect, it, vi } from 'vitest'
import { sampleOutcome } from '../../../../test/support/samples.ts'
import { scaled } from '../../../../test/support/time-factor.ts'
import { Admission } from '../../src/admission/admission.ts'
import { ExclusiveRuns } from '../../src/admission/exclusive-runs.ts'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { jobRunner } from '../../src/jobs/run-job.ts'

const language = {
  ...{ name: 'sh', version: '1', filename: 'main.sh', default_limits: {}, timeout_factor: 1 },
} as unknown as Language
const FACTS = sampleOutcome().container

/** Fake stages of a job and their durations in milliseconds, to control the order in which they end. */
interface Stages {
  readonly mode?: 'enforce' | 'warn'
  readonly checkMs?: number
  readonly problems?: string[]
  readonly acquireMs?: number
  readonly admission?: Admission
  /** Maximum wait for a second run. */
  readonly maxWaitMs?: number
  readonly share?: number
  /** Where the containers of an execution come from, one after the other. @default one, made for it */
  readonly origins?: readonly ContainerOrigin[]
  /** Runs the program. @default it succeeds at once */
  readonly program?: (execution: Execution, signal: AbortSignal | undefined) => Promise<Outcome>
}

function runner({ mode = 'warn', checkMs = 0, problems = [], acquireMs = 0, ...stages }: Stages) {
  const { admission, maxWaitMs = 5_000, share = 1, program = async () => outcome() } = stages
  const { origins = ['made'] } = stages
  const seen: string[] = []
  const audited: AuditEvent[] = []
  const secondRuns: string[] = []
  const sandbox: Pick<Sandbox, 'run'> = {
    run: async (execution: Execution, { signal, onContainer }: ExecutionOptions = {}) => {
      seen.push('acquire')
      await sleep(acquireMs, undefined, signal === undefined ? {} : { signal }).catch(() => {
        throw signal?.reason
      })
      seen.push('container')
      for (const origin of origins) onContainer?.({ ...FACTS, origin })
      seen.push('program')
      return await program(execution, signal)
    },
  }
  const room = admission ?? new Admission({ memoryMb: 1024, cpus: 1, slots: 2 })
  const run = jobRunner({
    checks: new OutputChecks(),
    workerId: 'w',
    rules: {
      catalogue: { find: () => language, summaries: () => [], languages: [language] },
      defaults: {},
      maxima: {},
      networks: new Map(),
      runtime: 'runc',
      runtimes: ['runc'],
    },
    gate: {
      applied: ({ rules }) => ({ mode, rules }),
      check: async () => {
        seen.push('check')
        await sleep(checkMs)
        seen.push('checked')
        return { policy: { mode, rules: 'strict' }, checked: true, problems, warnings: [], findings: [] }
      },
    },
    sandbox,
    admission: room,
    exclusive: new ExclusiveRuns({
      admission: room,
      maxWaitMs,
      share,
      onOutcome: (outcome) => secondRuns.push(outcome),
    }),
    audit: (event) => audited.push(event),
    onEgress: () => {},
    onAdmitted: () => {},
  })
  return { run, seen, audited, secondRuns, room }
}

const outcome = () => sampleOutcome({ container: FACTS, timings: { acquire: 5, run: 1, collect: 1 } })

function delivery(id = 'j-1'): Delivery {
  const job = parseJob({ language: 'sh', code: 'true' })
  const now = Date.now()
  return { id, job, attempt: 1, enqueuedAt: now, takenAt: now, stalls: 0, faults: 0 }
}

const never = new AbortController().signal

// promise: policy-enforce
describe('the check of the source', () => {
  it('comes before everything else if it can refuse the job', async () => {
    const { run, seen } = runner({ mode: 'enforce', checkMs: 20 })
    expect(await run(delivery(), never)).toMatchObject({ status: 'success' })
    expect(seen).toEqual(['check', 'checked', 'acquire', 'container', 'program'])
  })

  it('runs alongside the program if it can only warn, and the result waits for it', async () => {
    const { run, seen } = runner({ mode: 'warn', checkMs: 50, acquireMs: 10 })
    expect(await run(delivery(), never)).toMatchObject({ status: 'success', policy: { checked: true } })
    expect(seen).toEqual(['check', 'acquire', 'container', 'program', 'checked'])
  })

  it('refuses a job before it acquires a container', async () => {
    const { run, seen, audited, room } = runner({ mode: 'enforce', problems: ['Blocked import: os'] })
    expect(await run(delivery(), never)).toMatchObject({
      status: 'validation_error',
      validationErrors: ['Blocked import: os'],
      limitsApplied: null,
    })
    expect(seen).toEqual(['check', 'checked'])
    expect(audited.at(-1)).toMatchObject({ event: 'finished', containerId: null })
    expect(room.use.running).toBe(0)
  })

  it('refuses a job at once even if no slot is free', async () => {
    const admission = new Admission({ memoryMb: 256, cpus: 1, slots: 1 })
    await admission.enter({ memoryMb: 256, cpus: 1 }, never)
    const { run } = runner({ mode: 'enforce', problems: ['Blocked import: os'], admission })
    expect(await run(delivery(), never)).toMatchObject({ status: 'validation_error' })
    expect(admission.use).toMatchObject({ running: 1, waiting: 0 })
  })
})

it('a job that is cancelled while it runs reports its policy check', async () => {
  const { run } = runner({ mode: 'warn', acquireMs: 1_000 })
  const controller = new AbortController()
  const result = run(delivery(), controller.signal)
  await sleep(20)
  controller.abort(new JobInterrupted('cancelled'))
  expect(await result).toMatchObject({ status: 'cancelled', policy: { mode: 'warn', checked: true } })
})

describe('times of a result', () => {
  it.each([
    ['the check comes first', { mode: 'enforce', checkMs: 30, acquireMs: 30 }, 15],
    ['the check is the quicker one', { mode: 'warn', checkMs: 10, acquireMs: 60 }, 0],
    ['the check is the slower one', { mode: 'warn', checkMs: 150, acquireMs: 10 }, 75],
  ] as const)('never exceed the elapsed time when %s', async (_, times, held) => {
    const { run } = runner(times)
    const started = performance.now()
    const { timings } = await run(delivery(), never)
    const passed = performance.now() - started
    expect(timings.policy).toBeGreaterThanOrEqual(held)
    // In a busy process timers fire early: they count from the start of the event loop's turn.
    expect(timings.acquire).toBeGreaterThanOrEqual(times.acquireMs / 2)
    expect(timings.policy + timings.acquire).toBeGreaterThanOrEqual(30)
    expect(timings.policy + timings.acquire).toBeLessThanOrEqual(passed)
  })
})

// promise: result-cache
it('a result reports the origin batch if any of its containers was shared with another job', async () => {
  for (const [origins, reported] of [
    [['made'], 'made'],
    [['made', 'batch', 'made'], 'batch'],
    [['batch', 'made'], 'batch'],
  ] as const) {
    const { containerOrigin } = await runner({ origins }).run(delivery(), never)
    expect([origins, containerOrigin]).toEqual([origins, reported])
  }
})

describe('a job that waits for admission', () => {
  const full = async () => {
    const admission = new Admission({ memoryMb: 256, cpus: 1, slots: 1 })
    const leave = await admission.enter({ memoryMb: 256, cpus: 1 }, never)
    return { admission, leave }
  }

  it('can be cancelled', async () => {
    const { admission } = await full()
    const { run, seen } = runner({ admission })
    const controller = new AbortController()
    const result = run(delivery(), controller.signal)
    await sleep(10)
    expect(admission.use.waiting).toBe(1)
    controller.abort(new JobInterrupted('cancelled'))
    expect(await result).toMatchObject({ status: 'cancelled' })
    expect(seen).not.toContain('acquire')
    expect(admission.use.waiting).toBe(0)
  })

  it('is requeued when the worker stops', async () => {
    const { admission } = await full()
    const { run, audited } = runner({ admission })
    const result = run(delivery(), never)
    await sleep(10)
    admission.close(new JobInterrupted('shutdown'))
    await expect(result).rejects.toMatchObject({ cause: 'shutdown' })
    expect(audited.at(-1)).toMatchObject({ event: 'interrupted', cause: 'shutdown' })
  })

  it('is admitted when the job before it has ended', async () => {
    const { admission, leave } = await full()
    const { run, seen } = runner({ admission })
    const result = run(delivery(), never)
    await sleep(10)
    expect(seen).not.toContain('acquire')
    leave()
    expect(await result).toMatchObject({ status: 'success' })
    expect(admission.use.running).toBe(0)
  })
})

describe('a timeout that contention may have caused', () => {
  const starved: Outcome = {
    ...outcome(),
    ...({ status: 'timeout', limit: 'timeout', exitCode: null, signal: 'SIGKILL' } as const),
    ...{ wallMs: 1_000, cpuUserMs: 100, cpuSysMs: 0 },
  }
  const room = () => new Admission({ memoryMb: 1024, cpus: 4, slots: 4 })
  /** The first runs time out, starved of CPU time; `beside` counts the other executions during each second run. */
  const world = (changes: Stages = {}, beside: number[] = []) => {
    const admission = room()
    const program: Stages['program'] = async ({ id }) => {
      await sleep(20)
      if (!id.endsWith('.again')) return starved
      beside.push(admission.use.running - 1)
      return outcome()
    }
    return { admission, ...runner({ admission, program, ...changes }), beside }
  }

  it('gets a second run while nothing else runs, and two such jobs do not deadlock', async () => {
    const { run, admission, beside, secondRuns } = world()
    const results = await Promise.all([run(delivery('a'), never), run(delivery('b'), never)])
    expect(results).toMatchObject([
      { id: 'a', status: 'success', flaky: true },
      { id: 'b', status: 'success', flaky: true },
    ])
    expect(beside).toEqual([0, 0])
    expect(secondRuns).toEqual(['made', 'made'])
    expect(admission.use).toEqual({ memoryMb: 0, cpus: 0, running: 0, waiting: 0 })
  })

  it('stands if nothing else ran', async () => {
    const { run, secondRuns } = world()
    const result = await run(delivery(), never)
    expect(result).toMatchObject({ status: 'timeout' })
    expect(result.flaky).toBe(undefined)
    expect(secondRuns).toEqual([])
  })

  it('stands if the host does not become free in time, or if second runs are switched off', async () => {
    for (const [maxWaitMs, reported] of [
      [50, ['given_up']],
      [0, []],
    ] as const) {
      const { run, admission, beside, secondRuns } = world({ maxWaitMs })
      const leave = await admission.enter({ memoryMb: 64, cpus: 1 }, never)
      const { status, warnings } = await run(delivery(), never)
      expect(status).toBe('timeout')
      // Only a worker that makes second runs looks for contention and warns of it.
      expect(warnings.some((warning) => warning.startsWith('contended: '))).toBe(maxWaitMs > 0)
      expect(beside).toEqual([])
      expect(secondRuns).toEqual(reported)
      leave()
      expect(admission.use).toMatchObject({ running: 0, waiting: 0 })
    }
  })

  it('stands with a warning if the allowance does not cover a second run', async () => {
    // One tenant's allowance is 1 % of an hour divided by 4, which is 9 s; the job's timeout is 30 s.
    const { run, admission, beside, secondRuns } = world({ share: 0.01 })
    const leave = await admission.enter({ memoryMb: 64, cpus: 1 }, never)
    const { status, warnings } = await run(delivery(), never)
    expect({ status, secondRuns, beside }).toEqual({ status: 'timeout', secondRuns: ['denied'], beside: [] })
    expect(warnings).toEqual([expect.stringMatching(/^contended: .*share of its time/)])
    leave()
    expect(admission.use).toMatchObject({ running: 0, waiting: 0 })
  })

  it('stands if its second run delays a job of another tenant for too long', async () => {
    const program: Stages['program'] = async ({ id }, signal) => {
      if (!id.endsWith('.again')) return starved
      return await sleep(5_000, outcome(), signal === undefined ? {} : { signal }).catch(() => {
        throw signal?.reason
      })
    }
    const { run, admission, secondRuns } = world({ program })
    const leave = await admission.enter({ memoryMb: 64, cpus: 1 }, never)
    const result = run(delivery(), never)
    await vi.waitFor(() => expect(admission.use).toMatchObject({ running: 1, waiting: 1 }), {
      timeout: scaled(5000),
    })
    leave()
    await vi.waitFor(() => expect(admission.use).toMatchObject({ running: 1, waiting: 0, memoryMb: 1024 }), {
      timeout: scaled(5000),
    })
    const other = { tenant: 'other', timeoutMs: 100 }
    const leaveOther = await admission.enter({ memoryMb: 64, cpus: 1 }, never, other)
    leaveOther()
    expect(await result).toMatchObject({ status: 'timeout', warnings: [expect.stringMatching(/tenants/)] })
    expect(secondRuns).toEqual(['yielded'])
    expect(admission.use.running).toBe(0)
  })

  it('can be cancelled while it waits for its second run', async () => {
    const { run, admission } = world()
    await admission.enter({ memoryMb: 64, cpus: 1 }, never)
    const controller = new AbortController()
    const result = run(delivery(), controller.signal)
    await vi.waitFor(() => expect(admission.use).toMatchObject({ running: 1, waiting: 1 }), {
      timeout: scaled(5000),
    })
    controller.abort(new JobInterrupted('cancelled'))
    expect(await result).toMatchObject({ status: 'cancelled' })
    expect(admission.use).toMatchObject({ running: 1, waiting: 0 })
  })
})
