import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../bench/measure/random.ts'
import { Arena } from './arena/arena.ts'
import type { EngineControl } from './arena/engine-control.ts'
import { findLeftovers, identitiesOf } from './arena/leftovers.ts'
import { checkLedger, type Findings } from './checker.ts'
import type { Fault } from './faults/fault.ts'
import { knownProgram } from './programs.ts'

/** Jobs that are submitted at once, and the pause before the next, in milliseconds. */
const CHUNK = 10
const PAUSE_MS = 100
/** Pause between jobs that are submitted after the others while the fault lasts, in milliseconds, and their maximum number. */
const TRICKLE_MS = 500
const MAX_TRICKLE = 60
/** Jobs that are submitted after the fault is mended. */
const PROBES = 5
/** How long jobs from before a loss of data may still run, in milliseconds: longer than locks last. */
const LATE_MS = 25_000
/** How long to wait for a second result that should not come, in milliseconds. */
const SETTLE_MS = 500
/** How long results may take after the fault is mended, in milliseconds. */
const DEADLINE_MS = 90_000

/** Options of {@link runFault}. */
export interface RunFaultOptions {
  /** Minimum number of jobs until the fault is mended. */
  readonly jobs: number
  readonly random: Random
  /** Opens the engine that all faults share. */
  readonly engine: () => Promise<EngineControl>
}

/** What one fault did. */
export interface FaultOutcome extends Findings {
  readonly fault: string
  readonly title: string
  readonly jobs: number
  /** What was left behind, one sentence each. */
  readonly left: readonly string[]
  /** From the end of the fault until the next result; undefined if none came. */
  readonly recoverySeconds: number | undefined
  /** From the end of the fault until the last result. */
  readonly lastResultSeconds: number | undefined
  /** From the start of the fault's Redis to the end of the check. */
  readonly seconds: number
}

/** Runs jobs, breaks something meanwhile, mends it, waits for the rest, and checks. */
export async function runFault(
  fault: Fault,
  { jobs, random, engine }: RunFaultOptions,
): Promise<FaultOutcome> {
  const { name, title, containers = false, workers = 2, env = {}, smallDisk, mayLoseJobs = false } = fault
  // Opened first, because building its image would count as time of the first fault.
  const shared = containers ? await engine() : undefined
  const startedAt = performance.now()
  // Short, because the paths of sockets must be.
  const folder = await mkdtemp(join(tmpdir(), 'nemesis-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const arena = await Arena.open({
    ...{ name: `chaos-${process.pid}-${name}`, folder, workers, env, smallDisk, random },
    engine: shared,
  }).catch(async (error: unknown) => {
    await removeFolder()
    throw error
  })
  const programs = Array.from({ length: jobs + MAX_TRICKLE + PROBES }, (_, index) =>
    knownProgram(index, random, !containers),
  )
  const ending = new AbortController()
  let planned = 0
  const submitNext = (): Promise<void> => {
    const program = programs[planned]
    if (program === undefined) throw new Error('there are no more programs')
    const jobName = arena.ledger.plan(planned++, program)
    const { submit = (_, ...job) => arena.submit(...job) } = fault
    return submit(arena, jobName, program.job, ending.signal)
  }
  try {
    if (fault.consume === undefined) arena.consume()
    else fault.consume(arena)
    const mended = new AbortController()
    const submitting = submitUntil(mended.signal, jobs, submitNext)
    await arena.untilDelivered(jobs / 10)
    await fault.strike(arena)
    const mendedAt = performance.now()
    mended.abort()
    const submitted = submitting.then(async (first) => {
      const probes = planned
      await Promise.all([...first, ...Array.from({ length: PROBES }, submitNext)])
      return probes
    })
    const deadline = performance.now() + DEADLINE_MS
    const probes = (await Promise.race([submitted, sleep(DEADLINE_MS)])) ?? planned
    const awaited = (index: number) => !mayLoseJobs || index >= probes
    while (!arena.ledger.isComplete(awaited) && performance.now() < deadline) await sleep(100)
    // Jobs from before a loss of data may still run.
    const lateDeadline = performance.now() + (mayLoseJobs ? LATE_MS : 0)
    while (!arena.ledger.isComplete() && performance.now() < lateDeadline) await sleep(100)
    ending.abort()
    await submitted
    await arena.untilSettled()
    // A second, different result would come soon after the first.
    await sleep(SETTLE_MS)
    const findings = checkLedger(arena.ledger, { mayLoseJobs })
    const firstAt = arena.ledger.firstDeliveryAfter(mendedAt)
    const lastAt = arena.ledger.deliveries.at(-1)?.atMs
    const identities = identitiesOf(arena)
    await arena.stopProcesses()
    return {
      ...{ fault: name, title, jobs: planned, ...findings },
      left: await findLeftovers(arena, identities),
      recoverySeconds: firstAt && (firstAt - mendedAt) / 1000,
      lastResultSeconds: lastAt && Math.max(0, lastAt - mendedAt) / 1000,
      seconds: (performance.now() - startedAt) / 1000,
    }
  } finally {
    ending.abort()
    await arena.close()
    await removeFolder()
  }
}

/**
 * Submits a number of jobs in chunks, and then one after the other, so that jobs run as long as the fault lasts.
 *
 * @param submit submits the next job; resolves when it is accepted
 * @returns a promise per job
 */
async function submitUntil(
  mended: AbortSignal,
  jobs: number,
  submit: () => Promise<void>,
): Promise<Promise<void>[]> {
  const submitted: Promise<void>[] = []
  const more = () => submitted.length < jobs || (!mended.aborted && submitted.length < jobs + MAX_TRICKLE)
  while (more()) {
    submitted.push(submit())
    if (submitted.length >= jobs) await sleep(TRICKLE_MS, undefined, { signal: mended }).catch(() => {})
    else if (submitted.length % CHUNK === 0) await sleep(PAUSE_MS)
  }
  return submitted
}
