import { parseRunOptions, type RunRequest } from '../support/run-options.ts'

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

A missed target is not an error: the exit code is 1 only if a contender failed, 2 for a wrong option, 130 after Ctrl-C.
`

/** Reads a command line. @param cases all names that `--only` accepts @throws {UsageError} */
export function parseOptions(argv: readonly string[], cases: readonly string[]): RunRequest {
  return parseRunOptions(argv, { names: cases, noun: 'cases', docs: DOCS })
}
