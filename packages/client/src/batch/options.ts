import { randomUUID } from 'node:crypto'
import { ConfigError } from '@isopod/protocol'
import { refuseUnknownOptions } from '../option-names.ts'
import type { StopWhen } from './problem.ts'
import type { Progress } from './progress.ts'
import type { Sample } from './sample.ts'

/** Where the summary goes. */
export interface CallbackOptions {
  /** `http:` or `https:`, without a login in it; redirects are not followed. */
  readonly url: string
  /** Signs what is sent, see `verifyCallback`. */
  readonly secret: string
}

/** Which samples are judged, and how. */
export interface BatchOptions {
  /**
   * A batch of the same id goes on where it stopped, in this process or another: samples that were judged are not run again,
   * those in flight are found again, and those that ended as `fault` are tried again. The samples must be the same ones; there
   * may be more of them. 1 to 100 characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit.
   * @default a random one
   */
  readonly id?: string | undefined
  /** Pulled only as fast as they are taken. */
  readonly samples: Iterable<Sample> | AsyncIterable<Sample>
  /** How many samples there are, for the progress. @default what `samples` says by `length` or `size`, if it does */
  readonly total?: number | undefined
  /** For which k pass@k is asked; it may differ from run to run. @default [1] */
  readonly k?: readonly number[] | undefined
  /**
   * When a problem's samples behind the one that was judged are needless, and end as `skipped`: once it `passed`, once it
   * `failed`, or `never`. Then pass@k is made from whether one of a problem's first k samples passed, which has no bias but a
   * wider interval; after a failure nothing is known of what comes behind it, so `failed` goes with no k but 1.
   * @default 'never'
   */
  readonly stopWhen?: StopWhen | undefined
  /** Samples at once, from their pull until whoever iterates has taken the result; 1 to 10000. @default 256 */
  readonly inFlight?: number | undefined
  /** How often a sample is submitted in one run while the platform fails it, 1 to 100. @default 3 */
  readonly faultTries?: number | undefined
  /** The pause before the second of these tries, in milliseconds up to 60000; each further one is twice as long. @default 1000 */
  readonly faultPauseMs?: number | undefined
  /** How long the batch can be gone on with after it was last worked on, in seconds. @default 604800, a week */
  readonly stateTtlSeconds?: number | undefined
  /**
   * Ends the work on the batch. What is in flight goes on and is found again when the batch is gone on with; if it was given no
   * `id`, it is cancelled.
   */
  readonly signal?: AbortSignal | undefined
  /** Where the summary is posted when the batch is over, once for all of its runs. */
  readonly callback?: CallbackOptions | undefined
  /** Told how far the batch is, at most ten times a second and at its end; what it throws is ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** {@link BatchOptions} that were checked, defaults filled in. */
export interface ResolvedBatchOptions extends BatchOptions {
  readonly id: string
  readonly k: readonly number[]
  readonly stopWhen: StopWhen
  readonly inFlight: number
  readonly faultTries: number
  readonly faultPauseMs: number
  readonly stateTtlSeconds: number
  /** Whether somebody can go on with it. */
  readonly isNamed: boolean
}

const OPTIONS = {
  id: true,
  samples: true,
  total: true,
  k: true,
  stopWhen: true,
  inFlight: true,
  faultTries: true,
  faultPauseMs: true,
  stateTtlSeconds: true,
  signal: true,
  callback: true,
  onProgress: true,
} as const

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const MOST_K = 1_000_000

/**
 * Checks what a batch is started with.
 *
 * @throws {ConfigError} naming the option, what is allowed and what was given
 */
export function resolveBatchOptions(options: BatchOptions): ResolvedBatchOptions {
  refuseUnknownOptions(options, OPTIONS)
  const { id, samples, total, k = [1], stopWhen = 'never', callback } = options
  if (id !== undefined && (typeof id !== 'string' || !ID.test(id))) {
    const rule = '1 to 100 characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit'
    throw wrong('id', rule, id)
  }
  if (!isIterable(samples)) throw wrong('samples', 'something to iterate over', samples)
  if (total !== undefined) whole('total', total, 0, Number.MAX_SAFE_INTEGER)
  if (!Array.isArray(k) || k.length === 0) throw wrong('k', 'a list of at least one number', k)
  for (const each of k) whole('k', each, 1, MOST_K)
  if (!['never', 'passed', 'failed'].includes(stopWhen)) {
    throw wrong('stopWhen', 'one of never, passed, failed', stopWhen)
  }
  if (stopWhen === 'failed' && k.some((each) => each !== 1)) {
    throw wrong('k', '[1] with stopWhen "failed": what comes behind a failure is not known', k)
  }
  if (callback !== undefined) checkCallback(callback)
  return {
    ...options,
    id: id ?? randomUUID(),
    isNamed: id !== undefined,
    k: [...new Set(k)],
    stopWhen,
    inFlight: whole('inFlight', options.inFlight ?? 256, 1, 10_000),
    faultTries: whole('faultTries', options.faultTries ?? 3, 1, 100),
    faultPauseMs: whole('faultPauseMs', options.faultPauseMs ?? 1000, 0, 60_000),
    stateTtlSeconds: whole('stateTtlSeconds', options.stateTtlSeconds ?? 604_800, 60, 31_536_000),
  }
}

function checkCallback({ url, secret }: CallbackOptions): void {
  const parsed = URL.parse(url)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw wrong('callback.url', 'an http or https URL', url)
  }
  // It would end in messages; what is sent is signed instead.
  if (parsed.username !== '' || parsed.password !== '') {
    throw new ConfigError('callback.url: must hold no login')
  }
  if (typeof secret !== 'string' || secret === '') {
    throw new ConfigError('callback.secret: must be text of at least one character')
  }
}

function whole(option: string, given: number, min: number, max: number): number {
  if (Number.isInteger(given) && given >= min && given <= max) return given
  throw wrong(option, `a whole number from ${min} to ${max}`, given)
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  )
}

function wrong(option: string, wanted: string, given: unknown): ConfigError {
  return new ConfigError(`${option}: must be ${wanted}, got ${JSON.stringify(given) ?? typeof given}`)
}
