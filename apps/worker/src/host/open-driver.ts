import { ConfigError, isolatesAtLeast, isolationOf } from '@isopod/protocol'
import {
  CombinedDriver,
  type Driver,
  halvesOf,
  openDockerDriver,
  openProcessDriver,
  type SandboxEvent,
  type UserRange,
} from '@isopod/sandbox'
import type { WorkerConfig } from '../config.ts'

/** What a driver needs besides the settings. */
export interface DriverContext {
  readonly deployment: string
  /** Names of the seccomp profiles of its languages. */
  readonly profiles: readonly string[]
  readonly observe: ((event: SandboxEvent) => void) | undefined
}

/**
 * Opens what makes the worker's containers: one driver, or both if jobs may choose less isolation than the engine's.
 *
 * @throws {ConfigError} if its default isolates less than the minimum, and what the drivers throw
 */
export async function openDriver(config: WorkerConfig, context: DriverContext): Promise<Driver> {
  const { driver: kind, minimumIsolation: minimum, users } = config
  const open = kind === 'process' ? openProcess : openDocker
  const driver =
    kind === 'docker' && minimum === 'process'
      ? await openBoth(config, context)
      : await open(config, context, users)
  try {
    checkMinimum(minimum, driver.facts.defaultRuntime)
    return driver
  } catch (error) {
    await driver.close()
    throw error
  }
}

async function openBoth(config: WorkerConfig, context: DriverContext): Promise<Driver> {
  const [dockerUsers, processUsers] = halvesOf(config.users)
  const docker = await openDocker(config, context, dockerUsers)
  try {
    return new CombinedDriver(docker, await openProcess(config, context, processUsers))
  } catch (error) {
    await docker.close()
    throw error
  }
}

function openDocker(config: WorkerConfig, context: DriverContext, users: UserRange): Promise<Driver> {
  const { stack, ...engine } = config.docker
  const labels = stack === undefined ? {} : { 'isopod.stack': stack }
  return openDockerDriver({ ...commonOptions(config, context), users, ...engine, labels })
}

function openProcess(config: WorkerConfig, context: DriverContext, users: UserRange): Promise<Driver> {
  return openProcessDriver({ ...commonOptions(config, context), users, ...config.process })
}

function commonOptions({ workerId: owner, seccomp }: WorkerConfig, context: DriverContext) {
  const { deployment, profiles: names, observe } = context
  return {
    ...{ deployment, owner, observe },
    seccompProfile: seccomp.profile,
    languageProfiles: { names, directory: seccomp.profilesDirectory },
  }
}

function checkMinimum(minimum: WorkerConfig['minimumIsolation'], runtime: string): void {
  const own = isolationOf(runtime)
  if (minimum === undefined || isolatesAtLeast(own, minimum)) return
  const rule = `must be at most "${own}", which jobs have here by default (${runtime})`
  throw new ConfigError(`ISOPOD_MIN_ISOLATION: ${rule}, got "${minimum}"`)
}
