import { type Command, Option } from 'commander'
import { jobFieldOptions } from '../input/job-fields.ts'
import { type Declare, examples } from './declare.ts'

/** Declares `isopod run`. */
export const declareRun: Declare = (command, { io, services, end }) => {
  addJobOptions(command)
    .argument('<file>', 'the program, or - for standard input')
    .option('-j, --json', 'print the result as one JSON object; with --follow one event per line')
    .option('-f, --follow', 'print the output while the program runs')
    .option('--raw', 'do not escape control characters on a terminal')
    .action(async (file, options) => {
      const { runJobCommand } = await import('../commands/run.ts')
      end(await runJobCommand(io, services, file, options))
    })
  examples(command, [
    'isopod run hello.py',
    "echo 'console.log(6 * 7)' | isopod run - -l js",
    'isopod run grade.py --stdin answers.txt --timeout 5 --memory 128',
    'isopod run args.c -a -v -a in.txt -e DEBUG=1 --compile-arg -Wall',
    'isopod run draft.py --policy enforce:strict',
    `isopod run sum.py --input-data '{"nums": [1, 2, 3]}' --json`,
  ]).addHelpText('after', RUN_NOTES)
}

const RUN_NOTES = `
Exit codes: 0 the program succeeded, 1 it did not, 2 wrong call or job,
3 the platform failed. Without --language the file's extension decides;
standard input is Python.`

/** Declares `isopod submit`. */
export const declareSubmit: Declare = (command, { io, services, end }) => {
  addJobOptions(command, ['replyTo', 'callbackUrl'])
    .argument('<file...>', 'the programs, - for standard input')
    .option('-j, --json', 'print one JSON object per line: id and file')
    .action(async (files, options) => {
      const { submitCommand } = await import('../commands/submit.ts')
      end(await submitCommand(io, services, files, options))
    })
  examples(command, ['isopod submit a.py b.js', 'isopod submit *.py --reply-to grades --json'])
}

/** Declares `isopod result`. */
export const declareResult: Declare = (command, { io, services, end }) => {
  command
    .argument('<id>', 'the job, as submit printed it')
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
  examples(command, [
    'isopod results',
    'isopod results --reply-to grades --count 10 --json',
    'isopod results --follow',
  ]).addHelpText(
    'after',
    '\nPrinted results are removed from the queue; «isopod result ID» still shows them.',
  )
}

/** Declares `isopod cancel`. */
export const declareCancel: Declare = (command, { io, services, end }) => {
  command
    .argument('<id>', 'the job, as submit printed it')
    .option('-j, --json', 'print one JSON object: id and outcome')
    .action(async (id, options) => {
      const { cancelCommand } = await import('../commands/cancel.ts')
      end(await cancelCommand(io, services, id, options))
    })
  examples(command, [`isopod cancel ${EXAMPLE_ID}`])
}

const EXAMPLE_ID = 'j-01a1fafb0c20ccfb75305cf8f65b2e42'

function addJobOptions(command: Command, more: readonly string[] = []): Command {
  for (const { flags, help, isList, choices } of jobFieldOptions(more)) {
    const option = new Option(flags, help)
    if (isList) option.argParser(collect)
    // For help and completion only; the schema of the job refuses other values.
    if (choices !== undefined) option.argChoices = [...choices]
    command.addOption(option)
  }
  return command
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value]
}
