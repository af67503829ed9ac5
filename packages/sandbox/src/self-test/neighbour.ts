import type { Outcome } from '../contract/outcome.ts'
import { type RunContext, runExecution } from '../execution/run-execution.ts'
import type { Honeypot } from './honeypot.ts'
import { factIn } from './probe.ts'
import { type ProbeKit, probeExecution } from './probe-execution.ts'

/** Durations for which one container keeps its secret, and the other one searches for it, in milliseconds. */
const KEEP_MS = 2_000
const SEARCH_MS = 1_000
/** Minimum time for which both must run at the same time, in milliseconds. */
const MIN_OVERLAP_MS = 200

/** With fewer user ids, the containers of one self-test may have to share one. */
const MIN_USERS = 16

/** The probe that needs two containers at the same time. */
export const NEIGHBOUR = {
  id: 'neighbour',
  tries: 'to find traces of another container in memory, sockets, locks, keys and files',
} as const

/** One container hides a secret everywhere, another looks for it at the same time. */
export async function tryNeighbour(
  kit: ProbeKit,
  context: RunContext,
  honeypot: Honeypot,
  signal: AbortSignal,
): Promise<{ verdict: 'held' | 'succeeded' | 'untried'; detail: string }> {
  const [kept, looked] = await Promise.all([
    runExecution(probeExecution(kit, 'keep', [KEEP_MS, honeypot.secret]), context, signal),
    runExecution(probeExecution(kit, 'look', [SEARCH_MS]), context, signal),
  ])
  const output = text(looked)
  if (looked.exitCode === 1 || output.includes(honeypot.secret)) {
    const found = output.split('\n').filter((line) => line !== '' && !/^(user|from|to) \d+$/.test(line))
    return { verdict: 'succeeded', detail: [...new Set(found)].join('; ').slice(0, 300) }
  }
  const users = [kept, looked].map((outcome) => factIn(text(outcome), 'user'))
  if (kit.users >= MIN_USERS && users[0] === users[1]) {
    return { verdict: 'succeeded', detail: `both run as user ${users[0]}` }
  }
  const overlap =
    Math.min(factIn(text(kept), 'to'), factIn(output, 'to')) -
    Math.max(factIn(text(kept), 'from'), factIn(output, 'from'))
  if (overlap >= MIN_OVERLAP_MS) return { verdict: 'held', detail: '' }
  return { verdict: 'untried', detail: `the two did not run at the same time (${overlap} ms)` }
}

function text(outcome: Outcome): string {
  return Buffer.from(outcome.stdout.bytes).toString('latin1')
}
