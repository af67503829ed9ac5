import { parseArgs } from 'node:util'

/** Options that the bench and the nemesis have in common. */
export interface RunOptions {
  readonly quick: boolean
  /** Names of the parts to run; undefined for all. */
  readonly only: readonly string[] | undefined
  readonly seed: number
  /** File for the measured or found values. */
  readonly json: string | undefined
  /** File or folder for the report; undefined for none. */
  readonly docs: string | undefined
}

/** A parsed command line: a run, or a text to print. */
export type RunRequest =
  | { readonly kind: 'run'; readonly options: RunOptions }
  | { readonly kind: 'help' | 'list' }

/** What a command can run. */
export interface RunnableParts {
  /** All names that `--only` accepts. */
  readonly names: readonly string[]
  /** What the parts are called, in the plural. */
  readonly noun: string
  /** Where a full run of all parts writes its report, below the checkout. */
  readonly docs: string
}

/** An invalid command line; the message names the option, what is allowed and what was given. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads a command line. @throws {UsageError} */
export function parseRunOptions(argv: readonly string[], { names, noun, docs }: RunnableParts): RunRequest {
  const { values, positionals } = parsed(argv)
  if (values.help) return { kind: 'help' }
  if (values.list) return { kind: 'list' }
  if (positionals.length > 0 && values.only === undefined) {
    throw new UsageError(`${positionals[0]}: is not an option; ${noun} follow --only`)
  }
  const only = values.only === undefined ? undefined : [...values.only, ...positionals]
  for (const name of only ?? []) {
    if (!names.includes(name)) {
      throw new UsageError(`--only: must be one of ${names.join(', ')}, got ${JSON.stringify(name)}`)
    }
  }
  const quick = values.quick ?? false
  const isWhole = !quick && only === undefined
  const page = values.docs ?? (isWhole ? docs : undefined)
  return { kind: 'run', options: { quick, only, seed: seedOf(values.seed), json: values.json, docs: page } }
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string', multiple: true },
        list: { type: 'boolean' },
        seed: { type: 'string' },
        json: { type: 'string' },
        docs: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function seedOf(text: string | undefined): number {
  if (text === undefined) return Math.floor(Math.random() * 1_000_000)
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--seed: must be a whole number of up to 9 digits, got ${JSON.stringify(text)}`)
}
