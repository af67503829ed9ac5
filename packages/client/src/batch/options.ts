import { randomUUID } from 'node:crypto'
import { ConfigError } from '@isopod/protocol'
import { refuseUnknownOptions } from '../option-names.ts'
import type { StopWhen } from './problem.ts'
import type { Progress } from './progress.ts'
import type { Sample } from './sample.ts'

/** How samples count that only a failed judge kept from passing. */
export type JudgeErrors = 'fail' | 'exclude'

/** Where the summary is posted. */
export interface CallbackOptions {
  /** `http:` or `https:`, without user and password; redirects are not followed. */
  readonly url: string
  /** Key of the signature, see `verifyCallback`. */
  readonly secret: string
}

/** Options of a batch. */
export interface BatchOptions {
  /**
   * A later batch with the same id resumes it, in this process or another: judged samples are not run again, jobs in flight
   * are found, and faults are tried again. The samples must be the same; more may be added. 1 to 100 characters of a-z, A-Z,
   * 0-9, ".", "_" and "-", starting with a letter or digit.
   * @default a random id
   */
  readonly id?: string | undefined
  /** Pulled with backpressure, see `inFlight`. */
  readonly samples: Iterable<Sample> | AsyncIterable<Sample>
  /** Number of samples, for the progress. @default `length` or `size` of `samples`, if it has one */
  readonly total?: number | undefined
  /** Values of k for pass@k; they may differ from run to run. @default [1] */
  readonly k?: readonly number[] | undefined
  /**
   * When to skip the remaining samples of a problem: after one `passed`, after one `failed`, or `never`. With `passed`, pass@k
   * is the share of problems of which one of the first k samples passed: unbiased, but with a wider interval. `failed` allows
   * only k = 1, because the samples after a failure are unknown.
   * @default 'never'
   */
  readonly stopWhen?: StopWhen | undefined
  /**
   * How samples count that only the verdict `judge_error` kept from passing: as failed, or not at all.
   * @default 'fail'
   */
  readonly judgeErrors?: JudgeErrors | undefined
  /** Maximum number of samples between their pull and the moment their result is taken; 1 to 10000. @default 256 */
  readonly inFlight?: number | undefined
  /** Maximum number of attempts at a sample in one run if the platform fails it, 1 to 100. @default 3 */
  readonly faultTries?: number | undefined
  /** Pause before the second attempt, in milliseconds up to 60000; doubled for each further one. @default 1000 */
  readonly faultPauseMs?: number | undefined
  /** How long the batch can be resumed after its last change, in seconds. @default 604800, a week */
  readonly stateTtlSeconds?: number | undefined
  /**
   * Ends the work on the batch. Jobs in flight continue if the batch has an `id`, and a later run finds them; otherwise they
   * are cancelled.
   */
  readonly signal?: AbortSignal | undefined
  /** Receives the summary when the batch is over, once for all of its runs. */
  readonly callback?: CallbackOptions | undefined
  /** Called at most ten times a second and at the end; its errors are ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Checked {@link BatchOptions}, defaults filled in. */
export interface ResolvedBatchOptions extends BatchOptions {
  readonly id: string
  readonly k: readonly number[]
  readonly stopWhen: StopWhen
  readonly judgeErrors: JudgeErrors
  readonly inFlight: number
  readonly faultTries: number
  readonly faultPauseMs: number
  readonly stateTtlSeconds: number
  /** Whether it was given an id, and can thus be resumed. */
  readonly isNamed: boolean
}

const OPTIONS = {
  id: true,
  samples: true,
  total: true,
  k: true,
  stopWhen: true,
  judgeErrors: true,
  inFlight: true,
  faultTries: true,
  faultPauseMs: true,
  stateTtlSeconds: true,
  signal: true,
  callback: true,
  onProgress: true,
} as const

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const MAX_K = 1_000_000

/**
 * Checks {@link BatchOptions} and fills in defaults.
 *
 * @throws {ConfigError} naming the option, what is allowed and what was given
 */
export function resolveBatchOptions(options: BatchOptions): ResolvedBatchOptions {
  refuseUnknownOptions(options, OPTIONS)
  const { id, samples, total, k = [1], stopWhen = 'never', judgeErrors = 'fail', callback } = options
  if (id !== undefined && (typeof id !== 'string' || !ID.test(id))) {
    const rule = '1 to 100 characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit'
    throw wrong('id', rule, id)
  }
  if (!isIterable(samples)) throw wrong('samples', 'an iterable', samples)
  if (total !== undefined) whole('total', total, 0, Number.MAX_SAFE_INTEGER)
  if (!Array.isArray(k) || k.length === 0) throw wrong('k', 'a list of at least one number', k)
  for (const each of k) whole('k', each, 1, MAX_K)
  if (!['never', 'passed', 'failed'].includes(stopWhen)) {
    throw wrong('stopWhen', 'one of never, passed, failed', stopWhen)
  }
  if (!['fail', 'exclude'].includes(judgeErrors)) {
    throw wrong('judgeErrors', 'one of fail, exclude', judgeErrors)
  }
  if (stopWhen === 'failed' && k.some((each) => each !== 1)) {
    throw wrong('k', '[1] with stopWhen "failed", as later samples are skipped', k)
  }
  if (callback !== undefined) checkCallback(callback)
  return {
    ...options,
    id: id ?? randomUUID(),
    isNamed: id !== undefined,
    k: [...new Set(k)],
    stopWhen,
    judgeErrors,
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
  // Messages show the URL, and the signature authenticates the sender.
  if (parsed.username !== '' || parsed.password !== '') {
    throw new ConfigError('callback.url: must have no user and password')
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
