import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CommandOptions,
  type CommandOutcome,
  lastLines,
  tryCommand,
  withAdminPath,
} from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import type { EngineService } from './engine-service.ts'

/** The distribution's command, which fits its daemon; another one on PATH can be too new for it. */
const DISTRIBUTION_CLI = '/usr/bin/docker'

/** Runs one `docker` command against an engine and returns how it ended. */
export async function tryDocker(
  engine: EngineService,
  words: readonly string[],
  options: Omit<CommandOptions, 'env'> & { env: NodeJS.ProcessEnv },
): Promise<CommandOutcome> {
  return await tryCommand([await dockerProgram(engine), ...words], {
    ...options,
    env: await dockerEnvironment(engine, options.env),
  })
}

/**
 * Runs one `docker` command that has to succeed.
 *
 * @returns its standard output, trimmed
 * @throws {SetupError} with `what` and the last lines of the output
 */
export async function docker(
  engine: EngineService,
  words: readonly string[],
  options: Omit<CommandOptions, 'env'> & { env: NodeJS.ProcessEnv; what: string },
): Promise<string> {
  const { exitCode, stdout, output } = await tryDocker(engine, words, options)
  if (exitCode === 0) return stdout.trim()
  throw new SetupError(`${options.what} failed:\n${lastLines(output, 15)}`)
}

/**
 * Runs one `docker` command with its standard output as the input of another command. Both have to succeed.
 *
 * @throws {SetupError} with `what` and the last lines of the errors
 */
export async function pipeDocker(
  engine: EngineService,
  words: readonly string[],
  [program, ...arguments_]: readonly [string, ...string[]],
  { env, what }: { env: NodeJS.ProcessEnv; what: string },
): Promise<void> {
  const { execa } = await import('execa')
  const source = execa(await dockerProgram(engine), words, {
    env: await dockerEnvironment(engine, withAdminPath(env)),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    buffer: { stdout: false },
  })
  const target = source.pipe(program, arguments_, {
    env: withAdminPath(env),
    extendEnv: false,
    reject: false,
  })
  const outcomes = await Promise.all([source, target])
  const failed = outcomes.find(({ failed }) => failed)
  if (failed === undefined) return
  const errors = outcomes.map(({ stderr }) => stderr).join('\n')
  throw new SetupError(`${what} failed:\n${lastLines(errors, 6)}`, { cause: failed })
}

async function dockerProgram(engine: EngineService): Promise<string> {
  return engine.ours && (await isExecutable(DISTRIBUTION_CLI)) ? DISTRIBUTION_CLI : 'docker'
}

async function dockerEnvironment(
  engine: EngineService,
  given: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  // A context would take precedence over DOCKER_HOST.
  const { DOCKER_CONTEXT: _, ...env } = given
  if (!engine.ours) return { ...env, DOCKER_HOST: engine.dockerHost }
  // The user's settings (credential helpers, default builder, plug-ins) belong to the user's engine.
  const config = join(engine.dockerHost.slice('unix://'.length), '..', 'docker-config')
  await mkdir(config, { recursive: true, mode: 0o700 })
  return { ...env, DOCKER_HOST: engine.dockerHost, DOCKER_CONFIG: config, DOCKER_BUILDKIT: '0' }
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
