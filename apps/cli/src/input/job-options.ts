import {
  ConfigError,
  InvalidJobError,
  type JobInput,
  MAX_CODE_BYTES,
  MAX_INPUT_BYTES,
  type Policy,
  parseJob,
  parsePolicy,
  type Runtime,
} from '@isopod/protocol'
import type { Io } from '../io.ts'
import { UsageError } from '../usage-error.ts'
import { guessLanguage } from './guess-language.ts'
import { readText } from './read-text.ts'

/** The options that `run` and `submit` share, as they come from the command line. */
export interface JobOptions {
  readonly language?: string
  readonly stdin?: string
  readonly arg?: readonly string[]
  readonly env?: readonly string[]
  readonly compileArg?: readonly string[]
  readonly inputData?: string
  readonly timeout?: string
  readonly jobTimeout?: string
  readonly memory?: string
  readonly cpus?: string
  readonly network?: string
  readonly runtime?: string
  readonly replyTo?: string
  readonly callbackUrl?: string
  readonly policy?: string
  readonly reuse?: string
  readonly batch?: string
  readonly tenant?: string
  readonly repeat?: string
}

/** The option that sets a field of the job. */
const OPTION_OF: Readonly<Record<string, string>> = {
  language: '--language',
  stdin: '--stdin',
  args: '--arg',
  env: '--env',
  compileArgs: '--compile-arg',
  inputData: '--input-data',
  'limits.timeoutSeconds': '--timeout',
  'limits.jobSeconds': '--job-timeout',
  'limits.memoryMb': '--memory',
  'limits.cpus': '--cpus',
  network: '--network',
  runtime: '--runtime',
  replyTo: '--reply-to',
  callbackUrl: '--callback-url',
  reuse: '--reuse',
  batchId: '--batch',
  tenant: '--tenant',
  repeat: '--repeat',
}

/**
 * Makes a job of a file and options, and validates it before anything is started or sent.
 *
 * @throws {UsageError} one sentence per problem, each with the option and the field that it sets
 */
export async function jobFromOptions(io: Io, file: string, options: JobOptions): Promise<JobInput> {
  const sources = [file, options.stdin, options.inputData].filter((source) => source === '-')
  if (sources.length > 1) throw new UsageError('"-": standard input can be read for one thing only')

  const language = options.language ?? guessLanguage(file)
  const limits = {
    ...(options.timeout === undefined ? {} : { timeoutSeconds: number('--timeout', options.timeout) }),
    ...(options.jobTimeout === undefined ? {} : { jobSeconds: number('--job-timeout', options.jobTimeout) }),
    ...(options.memory === undefined ? {} : { memoryMb: number('--memory', options.memory) }),
    ...(options.cpus === undefined ? {} : { cpus: number('--cpus', options.cpus) }),
  }
  const job: JobInput = {
    ...(language === undefined ? {} : { language }),
    code: await readText(io, file, MAX_CODE_BYTES, 'FILE'),
    ...(options.stdin === undefined
      ? {}
      : { stdin: await readText(io, options.stdin, MAX_INPUT_BYTES, '--stdin') }),
    ...(options.arg === undefined ? {} : { args: [...options.arg] }),
    ...(options.env === undefined ? {} : { env: variables(options.env) }),
    ...(options.compileArg === undefined ? {} : { compileArgs: [...options.compileArg] }),
    ...(options.inputData === undefined ? {} : { inputData: await readInputData(io, options.inputData) }),
    ...(options.network === undefined ? {} : { network: options.network }),
    // The schema refuses what is none, by its own sentence.
    ...(options.runtime === undefined ? {} : { runtime: options.runtime as Runtime }),
    ...(options.replyTo === undefined ? {} : { replyTo: options.replyTo }),
    ...(options.callbackUrl === undefined ? {} : { callbackUrl: options.callbackUrl }),
    ...(options.reuse === undefined ? {} : { reuse: options.reuse as JobInput['reuse'] }),
    ...(options.batch === undefined ? {} : { batchId: options.batch }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    ...(options.repeat === undefined ? {} : { repeat: number('--repeat', options.repeat) }),
    ...(options.policy === undefined ? {} : { policy: policyOf(options.policy) }),
    limits,
  }
  validate(job)
  return job
}

function validate(job: JobInput): void {
  try {
    parseJob(job)
  } catch (cause) {
    if (!(cause instanceof InvalidJobError)) throw cause
    const sentences = cause.problems.map(({ field, message }) => {
      // Of a list or an object it is a part that is refused: `args.3`.
      const option = OPTION_OF[field] ?? OPTION_OF[field.split('.', 1)[0] ?? '']
      return option === undefined ? message : message.replace(field, `${option} (${field})`)
    })
    throw new UsageError(sentences.join('; '), { cause })
  }
}

type Json = NonNullable<JobInput['inputData']> | null

/** JSON as it stands on the command line, or the name of a file that holds it. */
async function readInputData(io: Io, value: string): Promise<Json> {
  const direct = parseJson(value)
  if (direct !== undefined) return direct
  // Text that begins like JSON was meant as JSON: the mistake is in it, not in a file's name.
  if (/^\s*[[{"]/.test(value)) throw new UsageError('--input-data: must be JSON or a file with JSON')
  const found = parseJson(await readText(io, value, MAX_INPUT_BYTES, '--input-data'))
  if (found === undefined) throw new UsageError(`--input-data: ${JSON.stringify(value)} does not hold JSON`)
  return found
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function policyOf(value: string): Policy {
  try {
    return parsePolicy(value)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw new UsageError(`--policy: ${cause.message}`, { cause })
  }
}

/** Variables as `env` of a shell takes them. */
function variables(given: readonly string[]): Record<string, string> {
  const pairs = given.map((text) => {
    const end = text.indexOf('=')
    if (end < 1) throw new UsageError(`--env: must be NAME=VALUE, got ${JSON.stringify(text)}`)
    return [text.slice(0, end), text.slice(end + 1)] as const
  })
  return Object.fromEntries(pairs)
}

/** A decimal number; the range is the protocol's business. */
function number(option: string, value: string): number {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) return Number(value)
  throw new UsageError(`${option}: must be a number, got ${JSON.stringify(value)}`)
}
