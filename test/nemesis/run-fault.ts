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
import { type KnownProgram, knownProgram } from './programs.ts'

/** Jobs that are submitted at once, and the pause before the next, in milliseconds. */
const CHUNK = 10
const PAUSE_MS = 100
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
}

/** Runs jobs, breaks something meanwhile, mends it, waits for the rest, and checks. */
export async function runFault(
  fault: Fault,
  { jobs, random, engine }: RunFaultOptions,
): Promise<FaultOutcome> {
  const { name, title, containers = false, workers = 2, env = {}, mayLoseJobs = false } = fault
  // Short, because the paths of sockets must be.
  const folder = await mkdtemp(join(tmpdir(), 'nemesis-'))
  const arena = await Arena.open({
    ...{ name: `chaos-${process.pid}-${name}`, folder, workers, env, random },
    engine: containers ? await engine() : undefined,
  })
  const programs = Array.from({ length: jobs + PROBES }, (_, index) =>
    knownProgram(index, random, !containers),
  )
  const ending = new AbortController()
  const submit = (from: number, to: number) =>
    submitAll(fault, arena, programs.slice(from, to), from, ending.signal)
  try {
    if (fault.consume === undefined) arena.consume()
    else fault.consume(arena)
    const submitting = submit(0, jobs)
    await arena.untilDelivered(jobs / 10)
    await fault.strike(arena)
    const mendedAt = performance.now()
    const submitted = Promise.all([submitting, submit(jobs, jobs + PROBES)])
    const deadline = performance.now() + DEADLINE_MS
    await Promise.race([submitted, sleep(DEADLINE_MS)])
    const awaited = (index: number) => !mayLoseJobs || index >= jobs
    while (!arena.ledger.isComplete(awaited) && performance.now() < deadline) await sleep(100)
    // Jobs from before a loss of data may still run.
    const lateDeadline = performance.now() + (mayLoseJobs ? LATE_MS : 0)
    while (!arena.ledger.isComplete() && performance.now() < lateDeadline) await sleep(100)
    ending.abort()
    await submitted
    // A second, different result would come soon after the first.
    await sleep(SETTLE_MS)
    const findings = checkLedger(arena.ledger, { mayLoseJobs })
    const firstAt = arena.ledger.firstDeliveryAfter(mendedAt)
    const identities = identitiesOf(arena)
    await arena.stopProcesses()
    return {
      ...{ fault: name, title, jobs: programs.length, ...findings },
      left: await findLeftovers(arena, identities),
      recoverySeconds: firstAt && (firstAt - mendedAt) / 1000,
    }
  } finally {
    ending.abort()
    await arena.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Submits the programs of jobs, each until it is accepted. @param first index of the first */
async function submitAll(
  fault: Fault,
  arena: Arena,
  programs: readonly KnownProgram[],
  first: number,
  signal: AbortSignal,
): Promise<void> {
  const submitted: Promise<void>[] = []
  for (const [offset, program] of programs.entries()) {
    const name = arena.ledger.plan(first + offset, program)
    const accepted =
      fault.submit?.(arena, name, program.job, signal) ?? arena.submit(name, program.job, signal)
    submitted.push(accepted)
    if (offset % CHUNK === CHUNK - 1) await sleep(PAUSE_MS)
  }
  await Promise.all(submitted)
}
