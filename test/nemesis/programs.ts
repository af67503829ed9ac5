import type { JobInput, Status } from '@isopod/client'
import type { Random } from '../bench/measure/random.ts'

/** A simple program whose end is known. */
export interface KnownProgram {
  readonly job: JobInput
  readonly status: Status
  /** What it prints, if that is certain. */
  readonly stdout?: string
}

/** Status → share of the jobs. */
const SHARES = { execution_error: 0.12, timeout: 0.06, output_exceeded: 0.06, memory_exceeded: 0.04 } as const
/** Seconds that a successful program sleeps, at most: jobs are running whenever a fault strikes. */
const MAX_SLEEP_SECONDS = 0.4

/**
 * Makes the program of one job: each status of a program occurs, so that a fault of the platform that is blamed on a program shows.
 *
 * @param index printed by the program, so that a swapped result shows
 * @param isSimulated whether only the commands of simulated containers may be used, which have no memory
 */
export function knownProgram(index: number, random: Random, isSimulated: boolean): KnownProgram {
  const drawn = random()
  const sleepSeconds = (random() * MAX_SLEEP_SECONDS).toFixed(2)
  const at = (code: string, limits: JobInput['limits'] = {}): JobInput => ({
    language: 'bash',
    code: `echo ${index}\n${code}`,
    limits: { timeoutSeconds: 10, ...limits },
  })
  const { execution_error: error, timeout, output_exceeded: output, memory_exceeded: memory } = SHARES
  if (drawn < error) return { job: at('exit 3'), status: 'execution_error', stdout: `${index}\n` }
  if (drawn < error + timeout) return { job: at('sleep 60', { timeoutSeconds: 0.5 }), status: 'timeout' }
  if (drawn < error + timeout + output) {
    const loud = at(`echo ${'x'.repeat(200)}\nsleep 60`, { outputBytes: 100, onOverflow: 'kill' })
    return { job: loud, status: 'output_exceeded' }
  }
  if (drawn < error + timeout + output + memory && !isSimulated) {
    const greedy = 'x=$(head -c 80000000 /dev/zero | tr "\\0" x)'
    return { job: at(greedy, { memoryMb: 32 }), status: 'memory_exceeded' }
  }
  return { job: at(`sleep ${sleepSeconds}`), status: 'success', stdout: `${index}\n` }
}
