import {
  ConfigError,
  InvalidJobError,
  type JobInput,
  MAX_CODE_BYTES,
  MAX_INPUT_BYTES,
  type Policy,
  parseJob,
  parsePolicy,
} from '@isopod/protocol'
import { UsageError } from '@isopod/service-kit'
import type { Io } from '../io.ts'
import { namesAndValues } from '../option-values.ts'
import { guessLanguage } from './guess-language.ts'
import { type JobFieldOption, jobFieldOptions } from './job-fields.ts'
import { readText } from './read-text.ts'

/** The options that set fields of a job, as they come from the command line: key of the option → what was given. */
export type JobOptions = Readonly<Record<string, unknown>>

/**
 * Makes a job from a file and options, and validates it before anything is started or sent.
 *
 * @throws {UsageError} one sentence per problem, each with the option and the field that it sets
 */
export async function jobFromOptions(io: Io, file: string, options: JobOptions): Promise<JobInput> {
  const sources = [file, options['stdin'], options['inputData']].filter((source) => source === '-')
  if (sources.length > 1) throw new UsageError('"-": standard input can be read for one thing only')

  const language = options['language'] ?? guessLanguage(file)
  const limits: Record<string, unknown> = {}
  const job: Record<string, unknown> = {
    ...(language === undefined ? {} : { language }),
    code: await readCode(io, file),
    limits,
  }
  const known = jobFieldOptions()
  for (const option of known) {
    const given = options[option.key]
    if (given === undefined) continue
    const [name, limit] = option.field.split('.')
    if (limit === undefined) job[name ?? ''] = await fieldValue(io, option, given)
    else limits[limit] = await fieldValue(io, option, given)
  }
  const made = job as JobInput
  validate(made, known)
  return made
}

async function readCode(io: Io, file: string): Promise<string> {
  const code = await readText(io, file, MAX_CODE_BYTES, 'FILE')
  if (code !== '') return code
  throw new UsageError(
    `Code cannot be empty, and ${file === '-' ? 'standard input' : JSON.stringify(file)} is`,
  )
}

async function fieldValue(io: Io, { kind, long }: JobFieldOption, given: unknown): Promise<unknown> {
  const text = String(given)
  switch (kind) {
    case 'text':
      return text
    case 'number':
      return number(long, text)
    case 'file':
      return await readText(io, text, MAX_INPUT_BYTES, long)
    case 'json':
      return await readInputData(io, text)
    case 'list':
      return given
    case 'variables':
      return namesAndValues(long, given as readonly string[])
    case 'policy':
      return policyOf(text)
    default:
      return kind satisfies never
  }
}

function validate(job: JobInput, known: readonly JobFieldOption[]): void {
  try {
    parseJob(job)
  } catch (cause) {
    if (!(cause instanceof InvalidJobError)) throw cause
    const sentences = cause.problems.map(({ field, message }) => {
      // In a list or an object one part is refused: `args.3`.
      const option = known.find((one) => field === one.field || field.startsWith(`${one.field}.`))
      return option === undefined ? message : message.replace(field, `${option.long} (${field})`)
    })
    throw new UsageError(sentences.join('; '), { cause })
  }
}

type Json = NonNullable<JobInput['inputData']> | null

/** JSON given on the command line, or in a file of that name. */
async function readInputData(io: Io, value: string): Promise<Json> {
  const direct = parseJson(value)
  if (direct !== undefined) return direct
  // Text that begins like JSON is invalid JSON, not the name of a file.
  if (/^\s*[[{"]/.test(value)) throw new UsageError('--input-data: must be JSON or a file with JSON')
  const found = parseJson(await readText(io, value, MAX_INPUT_BYTES, '--input-data'))
  if (found === undefined) throw new UsageError(`--input-data: ${JSON.stringify(value)} has no JSON`)
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

/** Parses a decimal number; the schema of the job checks its range. */
function number(option: string, value: string): number {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) return Number(value)
  throw new UsageError(`${option}: must be a number, got ${JSON.stringify(value)}`)
}
