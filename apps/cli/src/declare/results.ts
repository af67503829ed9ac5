import { type Declare, examples } from './declare.ts'

/** Declares `isopod result`. */
export const declareResult: Declare = (command, { io, services, end }) => {
  command
    .argument('<id>', 'id of the job, as printed by submit')
    .option('-w, --wait', 'wait until the job has ended')
    .option('-j, --json', 'print the whole result as one JSON object')
    .option('--raw', 'do not escape control characters on a terminal')
    .action(async (id, options) => {
      const { resultCommand } = await import('../commands/result.ts')
      end(await resultCommand(io, services, id, options))
    })
  examples(command, [`isopod result ${EXAMPLE_ID}`, `isopod result --wait --json ${EXAMPLE_ID}`])
  command.addHelpText('after', '\nOutput and exit code are those of isopod run for the same program.')
}

/** Declares `isopod results`. */
export const declareResults: Declare = (command, { io, services, end }) => {
  command
    .option('-r, --reply-to <queue>', 'name of the results queue (default: default)')
    .option('-f, --follow', 'wait for more until Ctrl-C')
    .option('-n, --count <n>', 'wait for this many, then end')
    .option('-j, --json', 'print each whole result as one line of JSON')
    .action(async (options) => {
      const { resultsCommand } = await import('../commands/results.ts')
      end(await resultsCommand(io, services, options))
    })
  // Commander takes options of a subcommand for those of its parent if both have them.
  const load = () => import('../commands/dead-results.ts')
  command
    .command('dead')
    .description('list results that their consumers could not handle, latest first')
    .option('-r, --reply-to <queue>', 'only those of one results queue')
    .option('-j, --json', 'print one JSON object per line')
    .action(async (_, dead) =>
      end(await (await load()).listDeadResults(io, services, dead.optsWithGlobals())),
    )
  command
    .command('redeliver')
    .description('deliver dead results to their consumers again')
    .argument('[id...]', 'ids of jobs, as printed by dead')
    .option('--all', 'all dead results')
    .option('-r, --reply-to <queue>', 'with --all: only those of one results queue')
    .option('-j, --json', 'print one JSON object per line: id and whether it is delivered again')
    .action(async (ids, _, redeliver) =>
      end(await (await load()).redeliverResults(io, services, ids, redeliver.optsWithGlobals())),
    )
  examples(command, [
    'isopod results',
    'isopod results --reply-to grades --count 10 --json',
    'isopod results --follow',
    'isopod results dead',
    'isopod results redeliver --all',
  ]).addHelpText(
    'after',
    '\nPrinted results are removed from the queue; "isopod result ID" still shows them.',
  )
}

const EXAMPLE_ID = 'j-01a1fafb0c20ccfb75305cf8f65b2e42'
