import type { ExitCode } from '@isopod/service-kit'
import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Services } from '../services.ts'

/** Dependencies of a command's action. */
export interface Context {
  readonly io: Io
  readonly services: Services
  /** Sets the exit code of the command. */
  readonly end: (code: ExitCode) => void
  /** All commands with all their options, for completion. */
  readonly wholeProgram: () => Promise<Command>
}

/** Declares arguments, options, examples and action of a command. */
export type Declare = (command: Command, context: Context) => void

/** Adds examples to the help of a command, one per line. */
export function examples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}
