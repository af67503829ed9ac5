import { createHash } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { chmod, copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { availableParallelism, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { type Architecture, type InitBinary, initBinary, spawnerBinary } from '@isopod/init'
import { PROCESS_RUNTIME } from '@isopod/protocol'
import type { Driver } from '../driver/driver.ts'
import type { UserRange } from '../driver/users.ts'
import { callNumbers, compileProfile } from '../seccomp/compile-profile.ts'
import { type LanguageProfile, loadLanguageProfiles } from '../seccomp/language-profiles.ts'
import { loadSeccompProfile, seccompDecisions } from '../seccomp/load.ts'
import { findCgroups } from './find-cgroups.ts'
import { HOST_CHECKS, stateError } from './host-checks.ts'
import { type CheckedHost, ProcessDriver, type ProcessDriverOptions } from './process-driver.ts'
import { SandboxRecords } from './records.ts'
import { Roots } from './roots.ts'
import { coveredPaths, DEVICES, type HostPaths } from './sandbox-steps.ts'
import { Spawner } from './spawner.ts'

/**
 * Checks what this host can enforce, and prepares its directories.
 *
 * @throws {TerminalError} that names what the host lacks, of {@link HOST_CHECKS}
 * @throws {ConfigError} if a seccomp profile or the state directory is not usable
 */
export async function openProcessDriver(options: ProcessDriverOptions): Promise<Driver> {
  return new ProcessDriver(options, await checkHost(options))
}

/** Everything of this host that a driver needs: a step of {@link openProcessDriver}, whose parts tests can weaken. */
export async function checkHost(options: ProcessDriverOptions): Promise<CheckedHost> {
  const architecture = process.arch as Architecture
  const { state } = options
  for (const { run } of HOST_CHECKS) await run({ state })
  const cgroups = findCgroups()
  const seccomp = await loadSeccompProfile(options.seccompProfile, architecture)
  const profiles = await loadLanguageProfiles(options.languageProfiles?.names ?? [], {
    base: seccomp,
    decisions: await seccompDecisions(),
    architecture,
    directory: options.languageProfiles?.directory,
  })
  const { paths, filters } = await prepareState(state, architecture, profiles)
  const users = usersOf(options.users)
  const facts = {
    ...{
      version: release(),
      architecture,
      profiles,
      runtimes: [PROCESS_RUNTIME],
      defaultRuntime: PROCESS_RUNTIME,
    },
    ...{ cgroup: cgroups.version, limitsSwap: cgroups.limitsSwap },
    ...{ cpus: availableParallelism(), memoryBytes: totalmem() },
    users: users.last - users.first + 1,
    ownProfile: options.seccompProfile === undefined,
    warnings: [],
  }
  return {
    ...{ facts, cgroups, users },
    roots: new Roots(options.roots),
    records: new SandboxRecords(join(state, 'records')),
    spawner: new Spawner(
      (await spawnerBinary(architecture)).path,
      join(state, 'records', socketName(options.owner)),
      hostNeeds([state, options.roots, ...cgroups.directories.map((path) => dirname(path))]),
    ),
    ...{ paths, filters },
  }
}

/** Name of a worker's socket: as long as the check of the state directory allows for, however long the host's name is. */
function socketName(owner: string): string {
  return `spawner-${createHash('sha256').update(owner).digest('hex').slice(0, 16)}.sock`
}

/** Writes what sandboxes need. @throws {ConfigError} if the state directory cannot be made, or has no space */
async function prepareState(
  state: string,
  architecture: Architecture,
  profiles: ReadonlyMap<string, LanguageProfile>,
): Promise<Pick<CheckedHost, 'paths' | 'filters'>> {
  try {
    await makeState(state)
    const paths = await hostPaths(state, architecture)
    return { paths, filters: await writeFilters(state, architecture, profiles) }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause
    throw stateError(`cannot be written (${(cause as Error).message})`, state, cause)
  }
}

async function makeState(state: string): Promise<void> {
  await mkdir(join(state, 'records'), { recursive: true })
  // The path of a root leads through here, and programs have users of their own.
  await chmod(state, 0o711)
  await chmod(join(state, 'records'), 0o700)
}

/** A worker that is not root can give its programs no user but its own. */
function usersOf(range: UserRange): UserRange {
  const uid = process.getuid?.() ?? 0
  return uid === 0 ? range : { first: uid, last: uid, gid: process.getgid?.() ?? uid }
}

async function hostPaths(state: string, architecture: Architecture): Promise<HostPaths> {
  const init = await initBinary(architecture)
  const directory = join(state, `init-${init.sha256.slice(0, 12)}`)
  await install(init, join(directory, 'init'), 0o111)
  const [stage, empty] = [join(state, 'stage'), join(state, 'empty')]
  await Promise.all([stage, empty].map((path) => mkdir(path, { recursive: true })))
  return { init: directory, stage, empty, covers: coveredPaths(kindOf) }
}

/**
 * Installs a program in a directory of its own, from which programs may start it and see nothing else: they have the worker's user
 * if it is not root. Written under a new name first, so that no sandbox starts an incomplete one.
 */
async function install(binary: InitBinary, path: string, mode: number): Promise<void> {
  const directory = dirname(path)
  if (!existsSync(path)) {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const incoming = `${path}.${process.pid}`
    await copyFile(binary.path, incoming)
    await chmod(incoming, mode)
    await rename(incoming, path)
  }
  await chmod(directory, 0o111)
}

async function writeFilters(
  state: string,
  architecture: Architecture,
  profiles: ReadonlyMap<string, LanguageProfile>,
): Promise<Map<string, string>> {
  const numbers = await callNumbers(architecture)
  const files = new Map<string, string>()
  for (const [name, { json, digest }] of profiles) {
    const file = join(state, `filter-${digest.slice(0, 16)}`)
    const incoming = `${file}.${process.pid}`
    await writeFile(incoming, compileProfile(json, architecture, numbers), { mode: 0o644 })
    await rename(incoming, file)
    files.set(name, file)
  }
  return files
}

/** What the spawner uses of this host, as real paths: mounts are known by these. */
function hostNeeds(directories: readonly string[]): string[] {
  const paths = ['/proc', ...DEVICES, ...directories]
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))]
}

function kindOf(path: string): 'file' | 'directory' | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return found.isDirectory() ? 'directory' : 'file'
}
