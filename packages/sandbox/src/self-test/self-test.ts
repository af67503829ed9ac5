import { setTimeout as sleep } from 'node:timers/promises'
import { isGvisor, TerminalError } from '@isopod/protocol'
import { runExecution, type Stage } from '../run-execution.ts'
import { ARTIFACT, tryArtifact } from './artifact.ts'
import { type Bait, layBait } from './bait.ts'
import { CANARIES } from './canaries.ts'
import { type Canary, factIn, judgeCanary } from './canary.ts'
import type { CanaryFinding, SelfTestReport } from './finding.ts'
import { NEIGHBOUR, tryNeighbour } from './neighbour.ts'
import { type ProbeKit, probeExecution } from './stage-canary.ts'

/** Containers at once: enough to use two cores, few enough not to be what is measured. */
const AT_ONCE = 4
/** A fault of the platform proves nothing; it is given this many chances to pass. */
const TRIES = 3
const PAUSE_MS = 500

/** What a self-test is made with. */
export interface SelfTestOptions {
  readonly stage: Stage
  readonly kit: ProbeKit
  /** Told of each canary as it is judged. */
  readonly onFinding?: ((finding: CanaryFinding) => void) | undefined
  readonly signal: AbortSignal
  /** Ids of the only canaries to try. @default all */
  readonly only?: readonly string[]
}

interface Judged {
  readonly verdict: CanaryFinding['verdict']
  readonly detail: string
  /** Another try would end the same way. */
  readonly final?: boolean
}

interface Attack {
  readonly id: string
  readonly tries: string
  readonly exempt?: Canary['exempt']
  run(kit: ProbeKit, bait: Bait): Promise<Judged>
}

/** Ids of all canaries, in the order of a report. */
export const CANARY_IDS: readonly string[] = [...CANARIES, NEIGHBOUR, ARTIFACT].map(({ id }) => id)

/**
 * Attacks containers that are made just as a job's. Never rejects for what an attack or the platform did, only with the
 * signal's reason once aborted.
 */
export async function selfTest(options: SelfTestOptions): Promise<SelfTestReport> {
  const started = performance.now()
  const bait = await layBait()
  try {
    const { only = CANARY_IDS } = options
    const attacks = attacksOf(options).filter(({ id }) => only.includes(id))
    const findings = new Map<string, CanaryFinding>()
    // The longest first: it mostly sleeps, and the others fit beside it.
    const waiting = attacks.toSorted((a, b) => Number(b.id === NEIGHBOUR.id) - Number(a.id === NEIGHBOUR.id))
    const work = async () => {
      for (let attack = waiting.shift(); attack; attack = waiting.shift()) {
        const finding = await tryAttack(attack, options, bait)
        findings.set(attack.id, finding)
        options.onFinding?.(finding)
      }
    }
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
    options.signal.throwIfAborted()
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return {
      findings: attacks.flatMap(({ id }) => findings.get(id) ?? []),
      ms: Math.round(performance.now() - started),
    }
  } finally {
    await bait.remove()
  }
}

function attacksOf(options: SelfTestOptions): Attack[] {
  const { stage, signal } = options
  return [
    ...CANARIES.map((canary) => ({
      ...canary,
      run: (kit: ProbeKit, bait: Bait) => tryCanary(canary, kit, options, bait),
    })),
    { ...NEIGHBOUR, run: (kit, bait) => tryNeighbour(kit, stage, bait, signal) },
    { ...ARTIFACT, run: (kit, bait) => tryArtifact(kit, stage, bait, signal) },
  ]
}

async function tryCanary(
  canary: Canary,
  kit: ProbeKit,
  { stage, signal }: SelfTestOptions,
  bait: Bait,
): Promise<Judged> {
  const asked = probeExecution(kit, canary.id, [], canary.limits)
  const words = canary.words?.(bait, asked.limits, kit)
  const execution = probeExecution(kit, canary.id, words, canary.limits)
  const outcome = await runExecution(execution, stage, signal)
  const output = Buffer.from(outcome.stdout.bytes).toString('latin1')
  return judgeCanary(canary, { execution, outcome, output, bait, fact: (name) => factIn(output, name) })
}

async function tryAttack(
  attack: Attack,
  { kit, signal }: SelfTestOptions,
  bait: Bait,
): Promise<CanaryFinding> {
  const { id: probe, tries, exempt } = attack
  const { runtime } = kit
  const reason = isGvisor(runtime) ? exempt?.runsc : undefined
  if (reason !== undefined) return { probe, runtime, tries, verdict: 'exempt', detail: reason, ms: 0 }
  const started = performance.now()
  const finding = (judged: Judged): CanaryFinding => ({
    probe,
    runtime,
    tries,
    ...judged,
    ms: Math.round(performance.now() - started),
  })
  for (let turn = 1; ; turn++) {
    const judged = await attack.run({ ...kit, name: `${kit.name}-${turn}` }, bait).catch((error: unknown) => {
      signal.throwIfAborted()
      return untried(error)
    })
    if (judged.verdict !== 'untried' || judged.final || turn === TRIES) {
      return finding({ verdict: judged.verdict, detail: judged.detail })
    }
    await sleep(turn * PAUSE_MS, undefined, { signal })
  }
}

/** What the platform could not do; a refusal to run in a container that is not as asked is its last word. */
function untried(error: unknown): Judged {
  const detail = error instanceof Error ? error.message : String(error)
  return { verdict: 'untried', detail, final: error instanceof TerminalError }
}
