import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommandOptions, type CommandOutcome, lastLines, tryCommand } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import type { EngineService } from './engine-service.ts'

/** The command that the distribution ships beside its daemon; another one on PATH may be too new for that daemon. */
const DISTRIBUTION_CLI = '/usr/bin/docker'

/** Runs one `docker` command against an engine and returns how it ended. */
export async function tryDocker(
  engine: EngineService,
  words: readonly string[],
  options: Omit<CommandOptions, 'env'> & { env: NodeJS.ProcessEnv },
): Promise<CommandOutcome> {
  const program = engine.ours && (await isExecutable(DISTRIBUTION_CLI)) ? DISTRIBUTION_CLI : 'docker'
  return await tryCommand([program, ...words], {
    ...options,
    env: await dockerEnvironment(engine, options.env),
  })
}

/**
 * Runs one `docker` command that has to succeed.
 *
 * @returns its standard output, trimmed
 * @throws {SetupError} with `what` was wanted and the last lines of the output
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

async function dockerEnvironment(
  engine: EngineService,
  given: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  // A context, if one is set, would win over DOCKER_HOST.
  const { DOCKER_CONTEXT: _, ...env } = given
  if (!engine.ours) return { ...env, DOCKER_HOST: engine.dockerHost }
  // The user's settings (credential helpers, default builder, plug-ins) are meant for the user's engine.
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
