import { access, chmod, constants, rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { docker, tryDocker } from '../engine/docker-cli.ts'
import type { EngineService } from '../engine/engine-service.ts'
import { baseImage } from '../images/base-image.ts'
import { buildArguments } from '../images/images.ts'
import { type Log, secondsSince } from '../log.ts'
import type { Paths } from '../paths.ts'
import { findProgram } from '../run-command.ts'
import { installPackages } from '../system-packages.ts'

/** apt verifies the signature of the package archive. */
const DOCKERFILE = `ARG BASE
FROM \${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends runsc && runsc --version
`

/**
 * Provides gVisor's program: the one on PATH, else Debian trixie's, which a build on the private engine extracts from its
 * package into the state directory.
 *
 * @returns its absolute path
 * @throws {SetupError} with the last lines of the build if no package archive responds
 */
export async function ensureRunsc(
  engine: EngineService,
  paths: Paths,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<string> {
  const installed = await findProgram('runsc', env)
  if (installed !== undefined) return installed
  if (await isExecutable(paths.runsc)) return paths.runsc
  const startedAt = performance.now()
  await installPackages(['docker-cli'], log, env)
  const base = await baseImage(engine, { env, log })
  const what = 'taking runsc (gVisor) from Debian’s package'
  const tag = `isopod/runsc:${process.pid}`
  const build = ['build', '--network', 'host', '--force-rm', '--tag', tag]
  await docker(engine, [...build, ...buildArguments({ BASE: base.tag }, env), '-'], {
    env,
    what,
    input: Readable.from([DOCKERFILE]),
  })
  try {
    const container = await docker(engine, ['create', '--network', 'none', tag, 'true'], { env, what })
    try {
      await docker(engine, ['cp', `${container}:/usr/bin/runsc`, `${paths.runsc}.new`], { env, what })
    } finally {
      await tryDocker(engine, ['rm', '-f', container], { env })
    }
  } finally {
    await tryDocker(engine, ['rmi', tag], { env })
  }
  await chmod(`${paths.runsc}.new`, 0o755)
  // Renamed at the end, so that an incomplete copy is never used.
  await rename(`${paths.runsc}.new`, paths.runsc)
  log(`took runsc (gVisor) from Debian’s package in ${secondsSince(startedAt)}`)
  return paths.runsc
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
