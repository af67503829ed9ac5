import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { chmod, copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Architecture, type InitBinary, initBinary, spawnerBinary } from '@isopod/init'
import { TerminalError } from '@isopod/protocol'
import type { Driver } from '../driver/driver.ts'
import type { UserRange } from '../driver/users.ts'
import { callNumbers, compileProfile } from '../seccomp/compile-profile.ts'
import { type LanguageProfile, loadLanguageProfiles } from '../seccomp/language-profiles.ts'
import { loadSeccompProfile, seccompDecisions } from '../seccomp/load.ts'
import { findCgroups } from './find-cgroups.ts'
import { ProcessDriver, type ProcessDriverOptions } from './process-driver.ts'
import { RUNTIME } from './process-starter.ts'
import { SandboxRecords } from './records.ts'
import { Roots } from './roots.ts'
import { type HostPaths, maskedPaths } from './sandbox-steps.ts'
import { Spawner } from './spawner.ts'

const BUBBLEWRAP = '/usr/bin/bwrap'
/** The first version whose options are all there. */
const MIN_VERSION = [0, 6] as const

/**
 * Checks what this host can enforce, and prepares its directories.
 *
 * @throws {TerminalError} that names what the host lacks: bubblewrap, user namespaces, a cgroup controller
 * @throws {ConfigError} if a seccomp profile is not usable
 */
export async function openProcessDriver(options: ProcessDriverOptions): Promise<Driver> {
  const architecture = process.arch as Architecture
  const version = await bubblewrapVersion()
  const cgroups = findCgroups()
  const seccomp = await loadSeccompProfile(options.seccompProfile, architecture)
  const profiles = await loadLanguageProfiles(options.languageProfiles?.names ?? [], {
    base: seccomp,
    decisions: await seccompDecisions(),
    architecture,
    directory: options.languageProfiles?.directory,
  })
  const { state } = options
  await mkdir(join(state, 'records'), { recursive: true })
  // The path of a root leads through here, and programs have users of their own.
  await chmod(state, 0o711)
  await chmod(join(state, 'records'), 0o700)
  const users = usersOf(options.users)
  const facts = {
    ...{ version, architecture, profiles, runtimes: [RUNTIME], defaultRuntime: RUNTIME },
    ...{ cgroup: cgroups.version, limitsSwap: cgroups.limitsSwap },
    ...{ cpus: availableParallelism(), memoryBytes: totalmem() },
    users: users.last - users.first + 1,
    ownProfile: options.seccompProfile === undefined,
    warnings: [],
  }
  return new ProcessDriver(options, {
    ...{ facts, cgroups, users },
    roots: new Roots(options.roots),
    records: new SandboxRecords(join(state, 'records')),
    spawner: new Spawner(
      (await spawnerBinary(architecture)).path,
      join(state, 'records', `spawner-${options.owner}.sock`),
    ),
    paths: await hostPaths(state, architecture),
    filters: await writeFilters(state, architecture, profiles),
  })
}

/** A worker that is not root can give its programs no user but its own. */
function usersOf(range: UserRange): UserRange {
  const uid = process.getuid?.() ?? 0
  return uid === 0 ? range : { first: uid, last: uid, gid: process.getgid?.() ?? uid }
}

async function bubblewrapVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(BUBBLEWRAP, ['--version']).catch((cause: unknown) => {
    throw new TerminalError(`the process driver needs ${BUBBLEWRAP}; install the package bubblewrap`, {
      cause,
    })
  })
  const version = stdout.trim().split(' ').at(-1) ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
    throw new TerminalError(
      `the process driver needs bubblewrap ${MIN_VERSION.join('.')} or newer, this is ${version}`,
    )
  }
  return version
}

async function hostPaths(state: string, architecture: Architecture): Promise<HostPaths> {
  const init = await initBinary(architecture)
  const directory = join(state, `init-${init.sha256.slice(0, 12)}`)
  await install(init, join(directory, 'init'), 0o111)
  const [stage, empty] = [join(state, 'stage'), join(state, 'empty')]
  await Promise.all([stage, empty].map((path) => mkdir(path, { recursive: true })))
  return {
    ...{ bubblewrap: BUBBLEWRAP, init: directory, stage, empty },
    masks: maskedPaths(kindOf),
  }
}

/** Writes a program under a new name first, so that no sandbox starts an incomplete one. */
async function install(binary: InitBinary, path: string, mode: number): Promise<void> {
  const directory = dirname(path)
  await mkdir(directory, { recursive: true })
  // Programs may start init, and see nothing else of it.
  await chmod(directory, 0o711)
  const incoming = `${path}.${process.pid}`
  await copyFile(binary.path, incoming)
  await chmod(incoming, mode)
  await rename(incoming, path)
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

function kindOf(path: string): 'file' | 'directory' | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return found.isDirectory() ? 'directory' : 'file'
}
