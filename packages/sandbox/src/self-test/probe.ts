import type { Limits } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { Honeypot } from './honeypot.ts'
import type { ProbeKit } from './probe-execution.ts'

/** All that a probe is judged by. */
export interface Observation {
  readonly execution: Execution
  readonly outcome: Outcome
  /** What the probe printed. */
  readonly output: string
  readonly honeypot: Honeypot
  /** A number that the probe told: lines of «name number». NaN where it told none, which no bound lets pass. */
  fact(name: string): number
}

/** One attack that a container must withstand. */
export interface Probe {
  readonly id: string
  /** What it tries, as the rest of a sentence. */
  readonly tries: string
  /** Words behind the attack's name, which is the probe's id. */
  readonly words?: (honeypot: Honeypot, limits: Limits, kit: ProbeKit) => readonly (string | number)[]
  readonly limits?: Partial<Limits>
  /** What the sandbox saw from outside that must not be: what was got, or undefined. The probe's own word comes on top. */
  readonly judge?: (sighting: Observation) => string | false | undefined
  /** How the program ends when the attack was really made. @default with exit code 0 */
  readonly endsAs?: (outcome: Outcome) => boolean
  /** Runtimes on which it has no meaning, and why. */
  readonly exempt?: { readonly runsc: string }
}

const EXIT_SUCCEEDED = 1
const EXIT_UNTRIED = 2
const DETAIL_CHARACTERS = 300

/**
 * Judges one probe. What is seen from outside outranks what the probe says: a program that took over its container would
 * say that all is well.
 */
export function judgeProbe(
  probe: Probe,
  sighting: Observation,
): { verdict: 'held' | 'succeeded' | 'untried'; detail: string } {
  const { outcome, output } = sighting
  const seen = probe.judge?.(sighting)
  if (seen) return { verdict: 'succeeded', detail: detail(seen) }
  if (outcome.exitCode === EXIT_SUCCEEDED) {
    return { verdict: 'succeeded', detail: detail(withoutFacts(output)) }
  }
  const ends = probe.endsAs ?? ((end: Outcome) => end.status === 'success')
  if (ends(outcome)) return { verdict: 'held', detail: '' }
  const reason =
    outcome.exitCode === EXIT_UNTRIED ? withoutFacts(output) : (outcome.errorMessage ?? outcome.status)
  return { verdict: 'untried', detail: detail(reason) }
}

/** The number that the probe told under a name. */
export function factIn(output: string, name: string): number {
  const line = output.split('\n').find((text) => text.startsWith(`${name} `))
  const value = line?.slice(name.length + 1) ?? ''
  return /^-?\d+$/.test(value) ? Number(value) : Number.NaN
}

function withoutFacts(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '' && !/^\S+ -?\d+$/.test(line))
  return [...new Set(lines)].join('; ')
}

/** One line of plain characters: it goes into logs and onto terminals, and what printed it was an attacker. */
function detail(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim()
  return plain.length > DETAIL_CHARACTERS ? `${plain.slice(0, DETAIL_CHARACTERS)}...` : plain
}
