import type { Limits } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { Honeypot } from './honeypot.ts'
import type { ProbeKit } from './probe-execution.ts'

/** The observations by which a probe is judged. */
export interface Observation {
  readonly execution: Execution
  readonly outcome: Outcome
  /** What the probe printed. */
  readonly output: string
  readonly honeypot: Honeypot
  /** A number that the probe printed, as a line "name number"; NaN if it printed none, which passes no bound. */
  fact(name: string): number
}

/** One attack that a container must withstand. */
export interface Probe {
  readonly id: string
  /** What it tries, as the rest of a sentence. */
  readonly tries: string
  /** Further arguments after the probe's id. */
  readonly args?: (honeypot: Honeypot, limits: Limits, kit: ProbeKit) => readonly (string | number)[]
  readonly limits?: Partial<Limits>
  /** Says what the attack got, as seen from outside; undefined if nothing. The probe's own report counts in addition. */
  readonly judge?: (observation: Observation) => string | false | undefined
  /** Whether the program ended as it does after an attack that was made. @default with exit code 0 */
  readonly endsAs?: (outcome: Outcome) => boolean
  /** Runtimes on which it has no meaning, and why. */
  readonly exempt?: { readonly runsc: string }
}

const EXIT_SUCCEEDED = 1
const EXIT_UNTRIED = 2
const DETAIL_CHARACTERS = 300

/**
 * Judges one probe. What is seen from outside outranks what the probe prints: a program that took over its container would
 * print that all is well.
 */
export function judgeProbe(
  probe: Probe,
  observation: Observation,
): { verdict: 'held' | 'succeeded' | 'untried'; detail: string } {
  const { outcome, output } = observation
  const seen = probe.judge?.(observation)
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

/** The number that a probe printed under a name. */
export function factIn(output: string, name: string): number {
  const line = output.split('\n').find((text) => text.startsWith(`${name} `))
  const value = line?.slice(name.length + 1) ?? ''
  return /^-?\d+$/.test(value) ? Number(value) : Number.NaN
}

function withoutFacts(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '' && !/^\S+ -?\d+$/.test(line))
  return [...new Set(lines)].join('; ')
}

/** One line of plain characters: an attacker printed the text, and it goes to logs and terminals. */
function detail(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim()
  return plain.length > DETAIL_CHARACTERS ? `${plain.slice(0, DETAIL_CHARACTERS)}...` : plain
}
