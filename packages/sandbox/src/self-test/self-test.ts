import { setTimeout as sleep } from 'node:timers/promises'
import { isGvisor, TerminalError } from '@isopod/protocol'
import { type RunContext, runExecution } from '../execution/run-execution.ts'
import { ARTIFACT, tryArtifact } from './artifact.ts'
import type { ProbeFinding, SelfTestReport } from './finding.ts'
import { type Honeypot, openHoneypot } from './honeypot.ts'
import { NEIGHBOUR, tryNeighbour } from './neighbour.ts'
import { factIn, judgeProbe, type Probe } from './probe.ts'
import { type ProbeKit, probeExecution } from './probe-execution.ts'
import { PROBES } from './probes.ts'

/** Containers at once: enough to use two cores, few enough not to be what is measured. */
const AT_ONCE = 4
/** A fault of the platform proves nothing; it is given this many chances to pass. */
const TRIES = 3
const PAUSE_MS = 500

/** What a self-test is made with. */
export interface SelfTestOptions {
  readonly context: RunContext
  readonly kit: ProbeKit
  /** Told of each probe as it is judged. */
  readonly onFinding?: ((finding: ProbeFinding) => void) | undefined
  readonly signal: AbortSignal
  /** Ids of the only probes to try. @default all */
  readonly only?: readonly string[]
}

interface Attempt {
  readonly verdict: ProbeFinding['verdict']
  readonly detail: string
  /** Another try would end the same way. */
  readonly final?: boolean
}

interface Attack {
  readonly id: string
  readonly tries: string
  readonly exempt?: Probe['exempt']
  run(kit: ProbeKit, honeypot: Honeypot): Promise<Attempt>
}

/** Ids of all probes, in the order of a report. */
export const PROBE_IDS: readonly string[] = [...PROBES, NEIGHBOUR, ARTIFACT].map(({ id }) => id)

/**
 * Attacks containers that are made just as a job's. Never rejects for what an attack or the platform did, only with the
 * signal's reason once aborted.
 */
export async function selfTest(options: SelfTestOptions): Promise<SelfTestReport> {
  const started = performance.now()
  const honeypot = await openHoneypot()
  try {
    const { only = PROBE_IDS } = options
    const attacks = attacksOf(options).filter(({ id }) => only.includes(id))
    const findings = new Map<string, ProbeFinding>()
    // The longest first: it mostly sleeps, and the others fit beside it.
    const waiting = attacks.toSorted((a, b) => Number(b.id === NEIGHBOUR.id) - Number(a.id === NEIGHBOUR.id))
    const work = async () => {
      for (let attack = waiting.shift(); attack; attack = waiting.shift()) {
        const finding = await tryAttack(attack, options, honeypot)
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
    await honeypot.remove()
  }
}

function attacksOf(options: SelfTestOptions): Attack[] {
  const { context, signal } = options
  return [
    ...PROBES.map((probe) => ({
      ...probe,
      run: (kit: ProbeKit, honeypot: Honeypot) => tryProbe(probe, kit, options, honeypot),
    })),
    { ...NEIGHBOUR, run: (kit, honeypot) => tryNeighbour(kit, context, honeypot, signal) },
    { ...ARTIFACT, run: (kit, honeypot) => tryArtifact(kit, context, honeypot, signal) },
  ]
}

async function tryProbe(
  probe: Probe,
  kit: ProbeKit,
  { context, signal }: SelfTestOptions,
  honeypot: Honeypot,
): Promise<Attempt> {
  const asked = probeExecution(kit, probe.id, [], probe.limits)
  const words = probe.words?.(honeypot, asked.limits, kit)
  const execution = probeExecution(kit, probe.id, words, probe.limits)
  const outcome = await runExecution(execution, context, signal)
  const output = Buffer.from(outcome.stdout.bytes).toString('latin1')
  return judgeProbe(probe, { execution, outcome, output, honeypot, fact: (name) => factIn(output, name) })
}

async function tryAttack(
  attack: Attack,
  { kit, signal }: SelfTestOptions,
  honeypot: Honeypot,
): Promise<ProbeFinding> {
  const { id: probe, tries, exempt } = attack
  const { runtime } = kit
  const reason = isGvisor(runtime) ? exempt?.runsc : undefined
  if (reason !== undefined) return { probe, runtime, tries, verdict: 'exempt', detail: reason, ms: 0 }
  const started = performance.now()
  const finding = (judged: Attempt): ProbeFinding => ({
    probe,
    runtime,
    tries,
    ...judged,
    ms: Math.round(performance.now() - started),
  })
  for (let turn = 1; ; turn++) {
    const judged = await attack
      .run({ ...kit, name: `${kit.name}-${turn}` }, honeypot)
      .catch((error: unknown) => {
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
function untried(error: unknown): Attempt {
  const detail = error instanceof Error ? error.message : String(error)
  return { verdict: 'untried', detail, final: error instanceof TerminalError }
}
