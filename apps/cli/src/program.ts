import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { COMMANDS } from './declare/commands.ts'
import type { Context } from './declare/declare.ts'
import type { Io } from './io.ts'
import type { Services } from './services.ts'
import { hasColors, paint } from './terminal/paint.ts'

/** Exit codes that are needed without a command. The others are in `EXIT`, which commands import. */
const SUCCESS = 0
const USAGE = 2
/** Maximum width of the help, because long lines are hard to read. */
const MAX_HELP_WIDTH = 100
const DEFAULT_WIDTH = 80

/**
 * Runs one command line.
 *
 * @param args the words after the program's name
 * @returns the exit code; never rejects, every failure is a sentence on stderr
 */
export async function runCli(args: readonly string[], io: Io, services: Services): Promise<number> {
  let exitCode = SUCCESS
  const refusals: string[] = []
  const context: Context = {
    io,
    services,
    end: (code) => {
      exitCode = code
    },
    wholeProgram: () => buildProgram(Object.keys(COMMANDS), context, refusals),
  }
  try {
    const words = args.filter((word) => !word.startsWith('-')).slice(0, 2)
    const program = await buildProgram(words, context, refusals)
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has already printed the error or the help.
    if (error instanceof CommanderError) {
      if (refusals.length > 0) await refuse(io, refusals.join(''))
      return error.exitCode === 0 ? SUCCESS : USAGE
    }
    return await fail(io, error)
  }
}

/** Declares all commands. Loads only the options of the named ones, because loading takes long. */
async function buildProgram(
  names: readonly string[],
  context: Context,
  refusals: string[],
): Promise<Command> {
  const { io } = context
  const program = new Command('isopod')
    .description('Runs untrusted programs, each in a container of its own.')
    .version(version(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => refusals.push(text),
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? DEFAULT_WIDTH, MAX_HELP_WIDTH),
      getErrHelpWidth: () => Math.min(io.stderr.columns ?? DEFAULT_WIDTH, MAX_HELP_WIDTH),
      getOutHasColors: () => hasColors(io, io.stdout),
      getErrHasColors: () => hasColors(io, io.stderr),
    })
    .configureHelp({ styleTitle: (text) => paint('bold', text) })
    .showHelpAfterError('(isopod --help lists the commands)')
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program
      .command(name)
      .description(summary)
      .showHelpAfterError(`(isopod ${name} --help explains it)`)
    if (names.includes(name)) (await load())(command, context)
  }
  return program
}

async function refuse(io: Io, text: string): Promise<void> {
  const sentence = text.replace(/^error: /, 'isopod: ')
  if (/^[\x20-\x7e\n]*$/.test(sentence)) return void io.stderr.write(sentence)
  // The error quotes the command line, which can contain control characters.
  const { visible } = await import('@isopod/protocol')
  io.stderr.write(visible(sentence))
}

async function fail(io: Io, error: unknown): Promise<number> {
  const { describeFailure } = await import('@isopod/service-kit')
  const { note } = await import('./io.ts')
  const failure = describeFailure(error)
  note(io, `isopod: ${failure.message}`)
  if (io.env['ISOPOD_DEBUG'] && error instanceof Error) note(io, error.stack ?? '')
  return failure.exitCode
}

/** The release, which is the same for all packages. */
function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
