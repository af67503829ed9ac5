import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_LIMITS, type Language, parseJob } from '@isopod/protocol'
import { type Delivery, JobInterrupted } from '@isopod/queue'
import type { Execution, Outcome, RunOptions, Sandbox } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { Admission } from '../src/admission/admission.ts'
import type { AuditEvent } from '../src/audit/audit-event.ts'
import { jobRunner } from '../src/run-job.ts'

const language = { name: 'sh', version: '1', filename: 'main.sh', default_limits: {} } as unknown as Language
const FACTS = { id: 'c', imageDigest: 'sha256:x', runtime: 'runc', origin: 'made', preloaded: false } as const
const POLICY = { mode: 'enforce', rules: 'strict' } as const

/** How long, in milliseconds, the stages take; behind ports of ours, so that their order can be laid down. */
interface Stages {
  readonly checkMs?: number
  readonly problems?: string[]
  readonly acquireMs?: number
  readonly admission?: Admission
}

function runner({ checkMs = 0, problems = [], acquireMs = 0, admission }: Stages) {
  const seen: string[] = []
  const audited: AuditEvent[] = []
  const sandbox: Sandbox = {
    run: async (_: Execution, { signal, cleared, onContainer }: RunOptions = {}) => {
      seen.push('acquire')
      await sleep(acquireMs, undefined, signal === undefined ? {} : { signal }).catch(() => {
        throw signal?.reason
      })
      seen.push('container')
      onContainer?.(FACTS)
      await cleared
      seen.push('program')
      return outcome()
    },
    close: async () => {},
  }
  const room = admission ?? new Admission({ memoryMb: 1024, cpus: 1, slots: 2 })
  const run = jobRunner({
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
      applied: (asked) => asked,
      judge: async () => {
        seen.push('check')
        await sleep(checkMs)
        return { policy: POLICY, checked: true, problems, warnings: [], findings: [] }
      },
    },
    sandbox,
    admission: room,
    audit: (event) => audited.push(event),
    onEgress: () => {},
    onAdmitted: () => {},
  })
  return { run, seen, audited, room }
}

function outcome(): Outcome {
  const nothing = { bytes: new Uint8Array(), produced: 0, truncated: false }
  const { onOverflow: _, ...applied } = DEFAULT_LIMITS
  return {
    status: 'success',
    exitCode: 0,
    signal: null,
    limit: null,
    stdout: nothing,
    stderr: nothing,
    compileOutput: undefined,
    wallMs: 1,
    cpuUserMs: 1,
    cpuSysMs: 1,
    memoryPeakBytes: 1,
    processesPeak: 1,
    throttledMs: 0,
    resourceUsage: null,
    limitsApplied: { ...applied, memorySwapMb: 256 },
    errorMessage: null,
    container: FACTS,
    timings: { acquire: 5, run: 1, collect: 1 },
  }
}

function delivery(): Delivery {
  const job = parseJob({ language: 'sh', code: 'true' })
  return { id: 'j-1', job, attempt: 1, enqueuedAt: Date.now(), stalls: 0, faults: 0 }
}

const never = new AbortController().signal

// promise: policy-enforce
describe('the check of the source', () => {
  it('goes on beside the wait for a container, and the program comes after both', async () => {
    const { run, seen } = runner({ checkMs: 30, acquireMs: 10 })
    expect(await run(delivery(), never)).toMatchObject({ status: 'success' })
    expect(seen).toEqual(['check', 'acquire', 'container', 'program'])
  })

  it.each([
    ['before the container is there', { checkMs: 0, acquireMs: 1_000 }, ['check', 'acquire']],
    ['after it', { checkMs: 50, acquireMs: 0 }, ['check', 'acquire', 'container']],
  ])('keeps a program from running: %s', async (_, times, expected) => {
    const { run, seen, audited, room } = runner({ ...times, problems: ['Blocked import: os'] })
    expect(await run(delivery(), never)).toMatchObject({
      status: 'validation_error',
      validationErrors: ['Blocked import: os'],
      limitsApplied: null,
    })
    expect(seen).toEqual(expected)
    expect(audited.at(-1)).toMatchObject({ event: 'finished', containerId: null })
    expect(room.use.running).toBe(0)
  })

  it('refuses a job that still waits for room', async () => {
    const admission = new Admission({ memoryMb: 256, cpus: 1, slots: 1 })
    await admission.enter({ memoryMb: 256, cpus: 1 }, never)
    const { run, seen } = runner({ checkMs: 10, problems: ['Blocked import: os'], admission })
    expect(await run(delivery(), never)).toMatchObject({ status: 'validation_error' })
    expect(seen).toEqual(['check'])
    expect(admission.use).toMatchObject({ running: 1, waiting: 0 })
  })
})

describe('times of a result', () => {
  it.each([
    ['the check is quicker', { checkMs: 10, acquireMs: 60 }],
    ['the container is quicker', { checkMs: 60, acquireMs: 10 }],
  ])('add up to what passed, when %s', async (_, times) => {
    const { run } = runner(times)
    const started = performance.now()
    const { timings } = await run(delivery(), never)
    const passed = performance.now() - started
    expect(timings.policy).toBeGreaterThanOrEqual(times.checkMs - 1)
    expect(timings.policy + timings.acquire).toBeGreaterThanOrEqual(59)
    expect(timings.policy + timings.acquire).toBeLessThanOrEqual(passed)
  })
})

describe('a job that waits for room', () => {
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
    expect(seen).toEqual(['check'])
    expect(admission.use.waiting).toBe(0)
  })

  it('is handed back when the worker stops', async () => {
    const { admission } = await full()
    const { run, audited } = runner({ admission })
    const result = run(delivery(), never)
    await sleep(10)
    admission.close(new JobInterrupted('shutdown'))
    await expect(result).rejects.toMatchObject({ cause: 'shutdown' })
    expect(audited.at(-1)).toMatchObject({ event: 'interrupted', cause: 'shutdown' })
  })

  it('comes in when the one before it has its result', async () => {
    const { admission, leave } = await full()
    const { run, seen } = runner({ admission })
    const result = run(delivery(), never)
    await sleep(10)
    expect(seen).toEqual(['check'])
    leave()
    expect(await result).toMatchObject({ status: 'success' })
    expect(admission.use.running).toBe(0)
  })
})
