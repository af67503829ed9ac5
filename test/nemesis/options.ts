import { parseRunOptions, type RunRequest } from '../support/run-options.ts'

/** Page of a full run, below the checkout. */
export const CHAOS_PAGE = 'docs/chaos.md'

/** The outcomes on that page. */
export const CHAOS_JSON = 'docs/chaos.json'

/** What `--help` prints. */
export const CHAOS_HELP = `npm run chaos -- [options]

Breaks one thing at a time under a stack of its own, and checks that no job is lost, doubled or blamed, and that nothing is left.

  --quick           40 jobs per fault instead of 200; not a whole run
  --only FAULT ...  these faults only; with --docs they replace their rows there
  --list            the faults
  --seed N          order of the faults, programs and victims; printed at the start  [random]
  --json FILE       writes the outcomes with every finding
  --docs FILE       writes the page there  [${CHAOS_PAGE}, for a whole run]
  --help

A whole run makes every fault, with 200 jobs each. The exit code is 1 if the checker found anything, 2 for a wrong option, 130 after Ctrl-C.
`

/** Reads a command line. @param faults all names that `--only` accepts @throws {UsageError} */
export function parseChaosOptions(argv: readonly string[], faults: readonly string[]): RunRequest {
  return parseRunOptions(argv, { names: faults, noun: 'faults', docs: CHAOS_PAGE })
}
