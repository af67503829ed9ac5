import { parseArgs } from 'node:util'

/** Options of a run of the benchmark. */
export interface BenchOptions {
  readonly quick: boolean
  /** Names of the cases to run; undefined for all. */
  readonly only: readonly string[] | undefined
  readonly seed: number
  /** File for the rows. */
  readonly json: string | undefined
  /** Folder for table, charts and numbers; undefined for none. */
  readonly docs: string | undefined
}

/** A parsed command line: a run, or a text to print. */
export type Asked =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help' | 'list' }

/** An invalid command line; the message names the option, what is allowed and what was given. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Folder of a full run's report, below the checkout. */
export const DOCS = 'docs/benchmarks'

/** What `--help` prints. */
export const HELP = `npm run bench -- [options]

Compares Isopod with its alternatives in one run, on real Redis and Docker.

  --quick           fewer repetitions and programs, under 3 minutes
  --only CASE ...   these cases only
  --list            the cases
  --seed N          order of the contenders and draws of the intervals; printed at the start  [random]
  --json FILE       writes the rows {case, contender, metric, value, unit, baseline, ratio, target, met}
  --docs FOLDER     writes table, charts and numbers there  [${DOCS}, for a full run of all cases]
  --help

A missed target is no error: the exit code is 1 only if a contender failed, 2 for a wrong option, 130 after Ctrl-C.
`

/**
 * Reads a command line.
 *
 * @param cases all names that `--only` accepts
 * @throws {UsageError}
 */
export function parseOptions(argv: readonly string[], cases: readonly string[]): Asked {
  const { values, positionals } = parsed(argv)
  if (values.help) return { kind: 'help' }
  if (values.list) return { kind: 'list' }
  if (positionals.length > 0 && values.only === undefined) {
    throw new UsageError(`${positionals[0]}: is no option; cases follow --only`)
  }
  const only = values.only === undefined ? undefined : [...values.only, ...positionals]
  for (const name of only ?? []) {
    if (!cases.includes(name)) {
      throw new UsageError(`--only: must be of ${cases.join(', ')}, got ${JSON.stringify(name)}`)
    }
  }
  const quick = values.quick ?? false
  const isWhole = !quick && only === undefined
  const docs = values.docs ?? (isWhole ? DOCS : undefined)
  return { kind: 'run', options: { quick, only, seed: seedOf(values.seed), json: values.json, docs } }
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
