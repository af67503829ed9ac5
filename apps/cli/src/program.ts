import { VERSION, visible } from '@isopod/protocol'
import { describeFailure, EXIT, type ExitCode } from '@isopod/service-kit'
import { Command, CommanderError, Option } from 'commander'
import { cancelCommand } from './commands/cancel.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor.ts'
import { doctorAttackCommand } from './commands/doctor-attack.ts'
import { gradeCommand } from './commands/grade.ts'
import { keyCommands } from './commands/keys.ts'
import { languagesCommand } from './commands/languages.ts'
import { mcpCommand } from './commands/mcp.ts'
import { resultsCommand } from './commands/results.ts'
import { runCommand } from './commands/run.ts'
import { submitCommand } from './commands/submit.ts'
import { downCommand, upCommand } from './commands/up.ts'
import { webhookCommands } from './commands/webhooks.ts'
import { GRADE_EXAMPLES, GRADE_NOTES, gradeOptions } from './grade/command-line.ts'
import { type Io, note } from './io.ts'
import type { Services } from './services.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs one command line.
 *
 * @param args the words after the program's name
 * @returns the exit code; never rejects, every failure is a sentence on stderr
 */
export async function runCli(args: readonly string[], io: Io, services: Services): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.success
  const program = buildProgram(io, services, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has printed its sentence, or the help that was asked for, itself.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage
    const failure = describeFailure(error)
    note(io, `isopod: ${failure.message}`)
    if (io.env['ISOPOD_DEBUG'] && error instanceof Error) note(io, error.stack ?? '')
    return failure.exitCode
  }
}

function buildProgram(io: Io, services: Services, end: (code: ExitCode) => void): Command {
  const program = new Command('isopod')
    .description('Runs programs that nobody trusts, each in a container of its own.')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(visible(text).replace(/^error: /, 'isopod: ')),
    })
    .showHelpAfterError('(--help lists commands and options)')
  const add = (name: string, description: string, examples: readonly string[]) =>
    program
      .command(name)
      .description(description)
      .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}\n`).join('')}`)

  jobOptions(add('run', 'run one program and show what became of it', RUN_EXAMPLES))
    .addHelpText('after', RUN_NOTES)
    .argument('<file>', 'the program, or - for standard input')
    .option('--json', 'print the whole result as one JSON object and nothing else')
    .option('--follow', 'print the output as it comes')
    .option('--raw', 'leave the output as it is on a terminal, too')
    .action(async (file, options) => end(await runCommand(io, services, file, options)))

  jobOptions(add('submit', 'enqueue programs and print their ids', SUBMIT_EXAMPLES))
    .argument('<file...>', 'the programs, - for standard input')
    .addOption(replyTo())
    .option('--callback-url <url>', 'where a gateway sends the result, signed')
    .option('--json', 'print one JSON object a line: id and file')
    .action(async (files, options) => end(await submitCommand(io, services, files, options)))

  gradeOptions(add('grade', 'judge samples of a data set’s problems', GRADE_EXAMPLES))
    .addHelpText('after', GRADE_NOTES)
    .argument('<file>', 'the data set: JSON or JSONL, packed with gzip or not, or a folder of such files')
    .action(async (file, options) => end(await gradeCommand(io, services, file, options)))

  add('results', 'take results off a results queue and print them', RESULTS_EXAMPLES)
    .addOption(replyTo())
    .option('--follow', 'wait for more until Ctrl-C')
    .option('--count <n>', 'wait for this many, then end')
    .option('--json', 'print each whole result, output included, as one line of JSON')
    .action(async (options) => end(await resultsCommand(io, services, options)))

  add('cancel', 'end a job that waits or runs', ['isopod cancel j-01a1fafb0c20ccfb75305cf8f65b2e42'])
    .argument('<id>', 'as submit printed it')
    .action(async (id) => end(await cancelCommand(io, services, id)))

  add('languages', 'list what the workers can run', ['isopod languages', 'isopod languages --json'])
    .option('--json', 'print one JSON object a line')
    .action(async (options) => end(await languagesCommand(io, services, options)))

  add('mcp', 'serve execute_code and other tools to an MCP client, on stdin and stdout', MCP_EXAMPLES)
    .option('--http <address>', '[host:]port: listen on http://host:port/mcp instead (host: 127.0.0.1)')
    .action(async (options) => end(await mcpCommand(io, services, options)))

  keyCommands(
    add('keys', 'create, list and revoke the API keys of the gateway', KEYS_EXAMPLES),
    io,
    services,
    end,
  )

  webhookCommands(
    add('webhooks', 'list and redeliver webhooks, print and rotate their secret', WEBHOOKS_EXAMPLES),
    io,
    services,
    end,
  )

  add('demo', 'run a tour of jobs, good and hostile, and check each result', ['isopod demo']).action(
    async () => end(await demoCommand(io, services)),
  )

  add('up', 'start Redis, engine, workers and the HTTP API on this machine, in the foreground', [
    'isopod up',
    'isopod up --workers 2',
  ])
    .option('--workers <n>', 'worker processes (default: 1)')
    .option('--port <port>', 'of the HTTP API, on loopback (default: 8007)')
    .action(async (options) => end(await upCommand(io, services, options)))

  add('down', 'stop and remove what this checkout has started', ['isopod down', 'isopod down --purge'])
    .option('--purge', 'delete the built images, too')
    .action(async (options) => end(await downCommand(io, services, options)))

  add('doctor', 'check each piece: ok, or what to do', ['isopod doctor', 'isopod doctor --attack'])
    .option('--attack', 'attack containers on the engine, as a worker does at its start')
    .option('--json', 'with --attack: print one JSON object a line')
    .action(async ({ attack, ...options }) => {
      if (options.json && !attack) throw new UsageError('--json: only with --attack')
      end(await (attack ? doctorAttackCommand(io, services, options) : doctorCommand(io, services)))
    })
  return program
}

const RUN_NOTES = `Exit codes: 0 the program succeeded, 1 it did not, 2 wrong call or job, 3 the platform failed.
Without --language, the file’s extension decides; - is Python.`
const RUN_EXAMPLES = [
  'isopod run hello.py',
  "echo 'console.log(6 * 7)' | isopod run - --language js",
  'isopod run grade.py --stdin answers.txt --timeout 5 --memory 128',
  'isopod run args.c --arg -v --arg in.txt --env DEBUG=1 --compile-arg -Wall',
  'isopod run draft.py --policy enforce:strict',
  `isopod run sum.py --input-data '{"nums": [1, 2, 3]}' --json`,
]
const SUBMIT_EXAMPLES = ['isopod submit a.py b.js', 'isopod submit *.py --reply-to grades --json']
const MCP_EXAMPLES = ['isopod mcp', 'isopod mcp --http 8008']
const KEYS_EXAMPLES = [
  'isopod keys create --name ci --tenant ci --per-minute 600',
  'isopod keys list',
  'isopod keys revoke 3f9c02ab77e1',
]
const WEBHOOKS_EXAMPLES = [
  'isopod webhooks list --failed',
  'isopod webhooks redeliver j-01a1fafb0c20ccfb75305cf8f65b2e42',
  'isopod webhooks redeliver --all',
  'isopod webhooks secret --tenant ci',
]
const RESULTS_EXAMPLES = [
  'isopod results',
  'isopod results --reply-to grades --count 10 --json',
  'isopod results --follow',
]

function jobOptions(command: Command): Command {
  return command
    .option('--language <name>', 'name or alias, optionally name@version (default: by the file’s extension)')
    .option('--stdin <file>', 'what the program reads on standard input, - for this command’s own')
    .option('--arg <text>', 'an argument of the program; may be given again', collect)
    .option('--env <name=value>', 'a variable of the program; may be given again', collect)
    .option('--compile-arg <text>', 'an argument of its compiler; may be given again', collect)
    .option('--input-data <json>', 'JSON, or a file with JSON: the global input_data')
    .option('--timeout <seconds>', 'wall-clock limit, 0.1 to 300 (default: 30)')
    .option('--job-timeout <seconds>', 'for compiling and all runs together, 0.1 to 3600 (default: 600)')
    .option('--memory <mb>', 'memory limit in MiB, 16 to 1024 (default: 256)')
    .option('--cpus <n>', 'processor cores, fractions allowed (default: 0.5)')
    .option('--repeat <n>', 'run it so often, 1 to 20, and say whether it is flaky (default: 1)')
    .option('--policy <mode>', 'check of the source: off, warn or enforce, or mode:strict (default: warn)')
    .option('--network <profile>', 'one of the operator’s network profiles (default: none)')
    .option('--runtime <name>', 'runc, crun or runsc (gVisor); never less isolation than the deployment’s')
    .option('--batch <id>', 'the batch that the program belongs to')
    .option('--tenant <name>', 'whose program it is (default: default)')
    .option('--reuse <when>', 'batch: its container may serve other programs of this batch (default: never)')
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function replyTo(): Option {
  return new Option('--reply-to <queue>', 'name of the results queue (default: "default")')
}
