import { setTimeout as sleep } from 'node:timers/promises'
import { isGvisor, TerminalError } from '@isopod/protocol'
import pLimit from 'p-limit'
import { ContainerEndedError } from '../driver/faults.ts'
import { type RunContext, runExecution } from '../execution/run-execution.ts'
import { ARTIFACT, tryArtifact } from './artifact.ts'
import type { ProbeFinding, SelfTestReport } from './finding.ts'
import { type Honeypot, openHoneypot } from './honeypot.ts'
import { NEIGHBOUR, tryNeighbour } from './neighbour.ts'
import { factIn, judgeProbe, type Probe } from './probe.ts'
import { type ProbeKit, probeExecution } from './probe-execution.ts'
import { PROBES } from './probes.ts'

/** Probes at the same time: enough to use two cores, too few to disturb each other's measurements. */
const MAX_CONCURRENT_PROBES = 4
/** Maximum number of attempts at a probe that a fault of the platform ended, which shows nothing about the container. */
const MAX_ATTEMPTS = 3
const PAUSE_MS = 500

/** Options of {@link selfTest}. */
export interface SelfTestOptions {
  readonly context: RunContext
  readonly kit: ProbeKit
  /** Called for each probe once it is judged. */
  readonly onFinding?: ((finding: ProbeFinding) => void) | undefined
  readonly signal: AbortSignal
  /** Ids of the only probes to try. @default all */
  readonly only?: readonly string[]
}

interface Attempt {
  readonly verdict: ProbeFinding['verdict']
  readonly detail: string
  /** Whether another attempt would end the same way. @default false */
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
 * Attacks containers that are made like those of jobs. Rejects only with the signal's reason once aborted.
 */
export async function selfTest(options: SelfTestOptions): Promise<SelfTestReport> {
  const started = performance.now()
  const honeypot = await openHoneypot()
  try {
    const { only = PROBE_IDS } = options
    const attacks = attacksOf(options).filter(({ id }) => only.includes(id))
    const findings = new Map<string, ProbeFinding>()
    // The longest first: it mostly sleeps, and the others fit beside it.
    const ordered = attacks.toSorted((a, b) => Number(b.id === NEIGHBOUR.id) - Number(a.id === NEIGHBOUR.id))
    const limit = pLimit(MAX_CONCURRENT_PROBES)
    const running = ordered.map((attack) =>
      limit(async () => {
        const finding = await makeAttack(attack, options, honeypot)
        findings.set(attack.id, finding)
        options.onFinding?.(finding)
      }),
    )
    const results = await Promise.allSettled(running)
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
  const args = probe.args?.(honeypot, asked.limits, kit)
  const execution = probeExecution(kit, probe.id, args, probe.limits)
  const outcome = await runExecution(execution, context, signal)
  const output = Buffer.from(outcome.stdout.bytes).toString('latin1')
  return judgeProbe(probe, { execution, outcome, output, honeypot, fact: (name) => factIn(output, name) })
}

async function makeAttack(
  attack: Attack,
  { kit, signal }: SelfTestOptions,
  honeypot: Honeypot,
): Promise<ProbeFinding> {
  const { id: probe, tries, exempt } = attack
  const { runtime } = kit
  const reason = isGvisor(runtime) ? exempt?.runsc : undefined
  if (reason !== undefined) return { probe, runtime, tries, verdict: 'exempt', detail: reason, ms: 0 }
  const started = performance.now()
  const finding = ({ verdict, detail }: Attempt): ProbeFinding => ({
    ...{ probe, runtime, tries, verdict, detail },
    ms: Math.round(performance.now() - started),
  })
  let lost: Attempt | undefined
  for (let attempt = 1; ; attempt++) {
    const ended = await attack
      .run({ ...kit, name: `${kit.name}-${attempt}` }, honeypot)
      .catch((error: unknown) => {
        signal.throwIfAborted()
        if (error instanceof ContainerEndedError) lost = { verdict: 'succeeded', detail: error.message }
        return untried(error)
      })
    if (ended.verdict !== 'untried' || ended.final) return finding(ended)
    // Unless an attempt shows that the container holds, the probe may have ended it.
    if (attempt === MAX_ATTEMPTS) return finding(lost ?? ended)
    await sleep(attempt * PAUSE_MS, undefined, { signal })
  }
}

/** A fault of the platform; the refusal of a container that is not confined as asked is final. */
function untried(error: unknown): Attempt {
  const detail = error instanceof Error ? error.message : String(error)
  return { verdict: 'untried', detail, final: error instanceof TerminalError }
}
