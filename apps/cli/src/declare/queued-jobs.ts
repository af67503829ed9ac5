import { type Command, Option } from 'commander'
import { type Declare, examples } from './declare.ts'

/** Declares `isopod cancel`. */
export const declareCancel: Declare = (command, { io, services, end }) => {
  addFilterOptions(command.argument('[id]', 'id of one job, as printed by submit'))
    .option('-j, --json', 'print one JSON object: id and outcome, or the numbers cancelled and requested')
    .action(async (id, options) => {
      const { cancelCommand } = await import('../commands/cancel.ts')
      end(await cancelCommand(io, services, id, options))
    })
  examples(command, [
    'isopod cancel j-01a1fafb0c20ccfb75305cf8f65b2e42',
    'isopod cancel --batch run-7',
    'isopod cancel --label model=small --reply-to grades',
  ]).addHelpText(
    'after',
    `
Without ID it cancels the jobs that agree with each given option, and prints
their numbers. Exit code 1 if it has cancelled none.`,
  )
}

/** Declares `isopod jobs`. */
export const declareJobs: Declare = (command, { io, services, end }) => {
  addFilterOptions(command)
    .option('-n, --count <n>', 'maximum number of jobs (default: 100)')
    .option('-j, --json', 'print one JSON object per line')
    .action(async (options) => {
      const { jobsCommand } = await import('../commands/jobs.ts')
      end(await jobsCommand(io, services, options))
    })
  examples(command, ['isopod jobs', 'isopod jobs --batch run-7 --json']).addHelpText(
    'after',
    `
Listed in this order:
next     before all turns, for example because its worker has stopped
waiting  for its turn
delayed  until a time, or until an equal job or one of its tenant has ended
running  a worker runs it`,
  )
}

/** Adds the options that select jobs. */
function addFilterOptions(command: Command): Command {
  const label = new Option('--label <name=value>', 'only jobs with this label; repeatable')
  return command
    .option('-b, --batch <id>', 'only jobs of this batch')
    .addOption(label.argParser((value, before: readonly string[] = []) => [...before, value]))
    .option('-r, --reply-to <queue>', 'only jobs whose results go to this results queue')
    .option('--tenant <name>', 'only jobs of this tenant')
}
