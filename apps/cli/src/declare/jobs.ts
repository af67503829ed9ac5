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
Exit codes: 0 the program succeeded, 1 it did not, 2 invalid usage or job,
3 the platform failed. The default language is that of the file's extension;
for standard input it is Python.`

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
