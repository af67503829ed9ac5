import type { DeliveredResult, Ledger } from './ledger.ts'
import type { KnownProgram } from './programs.ts'

/** What the checker found wrong, one sentence each. */
export interface Findings {
  /** Jobs that were accepted and have no result, or were never accepted. */
  readonly lost: readonly string[]
  /** Jobs with two results that differ, with two ids, or that were not submitted. */
  readonly doubled: readonly string[]
  /** Results that do not say how the program ended. */
  readonly wrong: readonly string[]
  /** Number of results that were delivered again unchanged, which «at least once» allows. */
  readonly repeated: number
}

/** Options of {@link checkLedger}. */
export interface CheckOptions {
  /** Whether Redis lost its data on purpose, and with it the jobs that were in it. */
  readonly mayLoseJobs?: boolean
}

/** Compares what came back with what was submitted. */
export function checkLedger(ledger: Ledger, { mayLoseJobs = false }: CheckOptions = {}): Findings {
  const byId = Map.groupBy(ledger.deliveries, ({ result }) => result.id)
  const lost: string[] = []
  const doubled: string[] = []
  const wrong: string[] = []
  let repeated = 0
  const known = new Set<string>()
  for (const [name, { program, ids }] of ledger.submissions) {
    if (ids.size === 0 && !mayLoseJobs) lost.push(`${name} was never accepted`)
    if (ids.size > 1) doubled.push(`${name} has the ids ${[...ids].join(', ')}`)
    for (const id of ids) {
      known.add(id)
      const found = byId.get(id) ?? []
      if (found.length === 0 && !mayLoseJobs) lost.push(`${id} has no result`)
      const different = new Set(found.map(fingerprint))
      if (different.size > 1) doubled.push(`${id} has ${different.size} results`)
      repeated += Math.max(0, found.length - different.size)
      wrong.push(...new Set(found.flatMap(({ result }) => problemOf(result, program))))
    }
  }
  for (const id of byId.keys()) if (!known.has(id)) doubled.push(`${id} was never submitted`)
  return { lost, doubled, wrong, repeated }
}

/** What makes two results of a job the same: who ran it, which start of it, and how it ended. */
function fingerprint({ result }: DeliveredResult): string {
  return [result.workerId, result.attempt, result.status, result.stdout].join(' ')
}

function problemOf(
  { id, status, stdout, errorMessage }: DeliveredResult['result'],
  wanted: KnownProgram,
): string[] {
  if (status !== wanted.status)
    return [`${id} is ${status}, not ${wanted.status}: ${errorMessage ?? 'no message'}`]
  if (wanted.stdout === undefined || stdout === wanted.stdout) return []
  return [`${id} printed ${JSON.stringify(stdout.slice(0, 50))}, not ${JSON.stringify(wanted.stdout)}`]
}
