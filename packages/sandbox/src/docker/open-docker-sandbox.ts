import { TerminalError, UnavailableError } from '@isopod/protocol'
import { checkAppArmor } from './apparmor.ts'
import type { DockerSandbox, DockerSandboxOptions } from './docker-sandbox.ts'
import { Engine } from './engine.ts'
import { type EngineFacts, engineFacts } from './engine-facts.ts'
import { EngineSandbox } from './engine-sandbox.ts'
import { runtimeTrouble } from './runtime-trouble.ts'
import { loadLanguageProfiles } from './seccomp/language-profiles.ts'
import { loadSeccompProfile, seccompDecisions } from './seccomp/load.ts'

/**
 * Connects to an engine and checks what it can enforce.
 *
 * @throws {UnavailableError} if it does not answer, {@link TerminalError} if it cannot confine or its runc is known not to,
 *   {@link ConfigError} if a seccomp profile is not usable
 */
export async function openDockerSandbox(options: DockerSandboxOptions): Promise<DockerSandbox> {
  const observe = options.observe ?? (() => {})
  const engine = new Engine(options.address, (call) => observe({ type: 'engine_call', call }))
  await engine.ping()
  const found = await engineFacts(engine)
  if (options.runtime !== undefined && !found.runtimes.includes(options.runtime)) {
    throw new UnavailableError(
      `The engine has no runtime ${JSON.stringify(options.runtime)}; it has ${found.runtimes.join(', ')}`,
    )
  }
  if (options.diskReads !== undefined && !found.limitsDiskReads) {
    throw new TerminalError(
      `the engine cannot limit how fast ${options.diskReads.device} is read: no cgroup controller for block I/O; unset ISOPOD_IMAGE_DISK_READ`,
    )
  }
  await checkAppArmor(options, found)
  const warnings = runtimeWarnings(found, options)
  // A job cannot choose what the deployment would be refused for.
  const usable = (runtime: string) =>
    options.allowOldRunc || runtimeTrouble(found, runtime)?.state !== 'refused'
  const facts = { ...found, runtimes: found.runtimes.filter(usable) }
  const seccomp = await loadSeccompProfile(options.seccompProfile, facts.architecture)
  const profiles = await loadLanguageProfiles(options.languageProfiles?.names ?? [], {
    base: seccomp,
    decisions: await seccompDecisions(),
    architecture: facts.architecture,
    directory: options.languageProfiles?.directory,
  })
  return new EngineSandbox(options, { engine, facts, warnings, seccomp, profiles, observe })
}

function runtimeWarnings(
  facts: EngineFacts,
  { runtime, allowOldRunc = false }: DockerSandboxOptions,
): string[] {
  const trouble = runtimeTrouble(facts, runtime)
  if (trouble === undefined) return []
  if (trouble.state === 'unknown') return [trouble.reason]
  if (allowOldRunc)
    return [
      `${trouble.reason}; accepted as ISOPOD_ALLOW_OLD_RUNC says: fine for trying out, not for production`,
    ]
  throw new TerminalError(`${trouble.reason}; ISOPOD_ALLOW_OLD_RUNC=true accepts it all the same`)
}
