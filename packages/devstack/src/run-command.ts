import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { SetupError } from './setup-error.ts'

const ADMIN_PATHS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** Options of a command, which runs without a shell. */
export interface CommandOptions {
  /** Its whole environment. @default process.env */
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Standard input. @default none */
  readonly input?: Readable
  /** Time after which it gets SIGKILL. @default 15 minutes */
  readonly deadlineMs?: number
  /** Ends the command when it aborts. */
  readonly signal?: AbortSignal
  /** Receives each chunk of output. */
  readonly onOutput?: (text: string) => void
}

/** How a command ended. */
export interface CommandOutcome {
  /** Null if it did not start or a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  /** Both streams, interleaved as they arrived. */
  readonly output: string
}

/** Runs a command and resolves with its outcome, even if it fails. */
export async function tryCommand(
  [program, ...words]: readonly [string, ...string[]],
  options: CommandOptions = {},
): Promise<CommandOutcome> {
  // Loaded when a command runs: `isopod run` beside a stack that stands needs none.
  const { execa } = await import('execa')
  const child = execa(program, words, {
    env: withAdminPath(options.env ?? process.env),
    extendEnv: false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
    stdin: options.input === undefined ? 'ignore' : [options.input, 'pipe'],
    all: true,
    reject: false,
    stripFinalNewline: false,
    timeout: options.deadlineMs ?? 900_000,
    killSignal: 'SIGKILL',
  })
  child.all.on('data', (chunk: Buffer) => options.onOutput?.(String(chunk)))
  const { exitCode, stdout, all, code, originalMessage = '' } = await child
  // For a command that did not start, only the error has a message.
  const output = code === undefined ? all : `${all}${originalMessage}`
  return { exitCode: exitCode ?? null, stdout, output }
}

/**
 * Runs a command that must succeed.
 *
 * @returns its standard output, trimmed
 * @throws {SetupError} with the command line and the last lines of its output
 */
export async function runCommand(
  command: readonly [string, ...string[]],
  options: CommandOptions = {},
): Promise<string> {
  const { exitCode, stdout, output } = await tryCommand(command, options)
  if (exitCode !== 0) throw new SetupError(`"${command.join(' ')}" failed: ${lastLines(output, 12)}`)
  return stdout.trim()
}

/** Path of a program on PATH or in the folders of system programs; undefined if there is none. */
export async function findProgram(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  for (const folder of (withAdminPath(env)['PATH'] ?? '').split(':').filter(Boolean)) {
    const path = join(folder, name)
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path
  }
  return undefined
}

/** The environment with the folders of system programs on PATH; ordinary users often lack them. */
export function withAdminPath(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const path = (env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':')
  return { ...env, PATH: [...path, ...ADMIN_PATHS.filter((folder) => !path.includes(folder))].join(':') }
}

/** The last lines of a log that are not empty. */
export function lastLines(text: string, count: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(-count).join('\n') || 'it printed nothing'
}
