import { TerminalError, UnavailableError } from '@isopod/protocol'
import type { Driver } from '../driver/driver.ts'
import { loadLanguageProfiles } from '../seccomp/language-profiles.ts'
import { loadSeccompProfile, seccompDecisions } from '../seccomp/load.ts'
import { DockerDriver, type DockerDriverOptions } from './docker-driver.ts'
import { checkAppArmor } from './engine/apparmor.ts'
import { Engine } from './engine/engine.ts'
import { type EngineFacts, engineFacts } from './engine/engine-facts.ts'
import { containerNamespaces } from './engine/namespaces.ts'
import { runtimeProblem } from './engine/runtime-problem.ts'

/**
 * Connects to a Docker engine and checks what it can enforce.
 *
 * @throws {UnavailableError} if the engine does not answer or lacks the runtime
 * @throws {TerminalError} if it lacks what confinement needs, or its runc has known escapes
 * @throws {ConfigError} if a seccomp profile is not usable
 */
export async function openDockerDriver(options: DockerDriverOptions): Promise<Driver> {
  const engine = new Engine(options.address, (call) => options.observe?.({ type: 'driver_call', call }))
  await engine.ping()
  const found = await engineFacts(engine)
  if (options.runtime !== undefined && !found.runtimes.includes(options.runtime)) {
    throw new UnavailableError(
      `the engine has no runtime ${JSON.stringify(options.runtime)}; it has ${found.runtimes.join(', ')}`,
    )
  }
  if (options.diskReads !== undefined && !found.limitsDiskReads) {
    throw new TerminalError(
      `the engine cannot limit how fast ${options.diskReads.device} is read: no cgroup controller for block I/O; unset ISOPOD_IMAGE_DISK_READ`,
    )
  }
  await checkAppArmor(options, found)
  const warnings = runtimeWarnings(found, options)
  const { version, architecture, cgroup, cpus, memoryBytes, limitsSwap } = found
  const seccomp = await loadSeccompProfile(options.seccompProfile, architecture)
  const profiles = await loadLanguageProfiles(options.languageProfiles?.names ?? [], {
    base: seccomp,
    decisions: await seccompDecisions(),
    architecture,
    directory: options.languageProfiles?.directory,
  })
  // A job cannot choose a runtime that would be refused as the default.
  const isUsable = (runtime: string) =>
    options.allowOldRunc || runtimeProblem(found, runtime)?.state !== 'refused'
  const facts = {
    ...{ version, architecture, cgroup, cpus, memoryBytes, limitsSwap, profiles, warnings },
    runtimes: found.runtimes.filter(isUsable),
    defaultRuntime: options.runtime ?? found.defaultRuntime,
    users: options.users.last - options.users.first + 1,
    ownProfile: options.seccompProfile === undefined,
  }
  const isolation = (runtime: string) => ({
    ...{ driver: 'docker', namespaces: containerNamespaces(runtime, found), cgroup },
  })
  return new DockerDriver(options, { engine, facts, isolation, seccomp, profiles })
}

function runtimeWarnings(
  facts: EngineFacts,
  { runtime, allowOldRunc = false }: DockerDriverOptions,
): string[] {
  const problem = runtimeProblem(facts, runtime)
  if (problem === undefined) return []
  if (problem.state === 'unknown') return [problem.reason]
  if (allowOldRunc)
    return [
      `${problem.reason}; accepted because ISOPOD_ALLOW_OLD_RUNC is set, which is not safe in production`,
    ]
  throw new TerminalError(`${problem.reason}; ISOPOD_ALLOW_OLD_RUNC=true accepts it nevertheless`)
}
