import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, secondsSince } from '../log.ts'
import { makePaths, type Paths } from '../paths.ts'
import { endProcess, identifyProcess, isRunning, type ProcessIdentity } from '../process/process-identity.ts'
import { lastLines, withAdminPath } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { readRecord, updateRecord } from '../stack-record.ts'
import { checkEngine } from './engine-api.ts'

const START_DEADLINE_MS = 30_000

/**
 * Starts a containerd and a dockerd that share nothing with other engines of the machine, and records them. Both outlive this
 * process. The engine has no bridge and changes no firewall rules, because sandboxes have no network.
 *
 * @returns the engine's address
 * @throws {SetupError} with the last lines of its log if it does not respond within 30 s
 */
export async function startPrivateEngine(
  paths: Paths,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<string> {
  const startedAt = performance.now()
  await makePaths(paths)
  await endLeftovers(paths)
  const sockets = engineSockets(paths)
  const dockerHost = `unix://${sockets.docker}`
  await writeFile(join(paths.state, 'containerd.toml'), containerdConfig(paths), { mode: 0o600 })
  await writeFile(join(paths.state, 'dockerd.json'), dockerdConfig(paths), { mode: 0o600 })

  const containerd = await startDaemon(
    ['containerd', '--config', join(paths.state, 'containerd.toml')],
    join(paths.logs, 'containerd.log'),
    env,
  )
  const dockerd = await startDaemon(
    ['dockerd', '--config-file', join(paths.state, 'dockerd.json')],
    join(paths.logs, 'dockerd.log'),
    env,
  )
  await updateRecord(paths, (record) => ({ ...record, engine: { containerd, dockerd, dockerHost } }))
  try {
    await untilAnswers(dockerHost, paths, containerd, dockerd)
  } catch (error) {
    await endProcess(dockerd, 10_000)
    await endProcess(containerd, 5000)
    throw error
  }
  log(`started a private Docker engine in ${secondsSince(startedAt)}`)
  return dockerHost
}

/** Paths of a private engine's sockets. */
export function engineSockets(paths: Paths): { docker: string; containerd: string } {
  return {
    docker: join(paths.runtime, 'docker.sock'),
    containerd: join(paths.runtime, 'containerd.sock'),
  }
}

/** gVisor without the host's network, on the platform that needs neither KVM nor ptrace. */
const RUNSC_ARGUMENTS = ['--network=none', '--platform=systrap']

/**
 * The settings of the private dockerd, which therefore does not read the machine's `/etc/docker/daemon.json`.
 *
 * @param runsc path of gVisor's program, if the engine has it as a runtime; dockerd reloads this part on SIGHUP
 */
export function dockerdConfig(paths: Paths, runsc?: string): string {
  const sockets = engineSockets(paths)
  return `${JSON.stringify(
    {
      hosts: [`unix://${sockets.docker}`],
      containerd: sockets.containerd,
      'data-root': paths.docker,
      'exec-root': join(paths.runtime, 'docker'),
      pidfile: join(paths.runtime, 'docker.pid'),
      bridge: 'none',
      iptables: false,
      ip6tables: false,
      'ip-forward': false,
      'ip-masq': false,
      'userland-proxy': false,
      ...(runsc !== undefined && { runtimes: { runsc: { path: runsc, runtimeArgs: RUNSC_ARGUMENTS } } }),
    },
    undefined,
    2,
  )}\n`
}

/** containerd's settings without plugins that open a port or write outside of our directories. */
export function containerdConfig(paths: Paths): string {
  const text = (value: string) => JSON.stringify(value)
  return [
    'version = 2',
    `root = ${text(paths.containerd)}`,
    `state = ${text(join(paths.runtime, 'containerd'))}`,
    'disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"]',
    '[grpc]',
    `address = ${text(engineSockets(paths).containerd)}`,
    '',
  ].join('\n')
}

/** Removes what a crash left and a new start cannot use: processes, pid file, sockets. */
async function endLeftovers(paths: Paths): Promise<void> {
  const { engine } = await readRecord(paths)
  if (engine) {
    await endProcess(engine.dockerd, 15_000)
    await endProcess(engine.containerd, 5000)
  }
  const { docker, containerd } = engineSockets(paths)
  for (const file of [docker, containerd, `${containerd}.ttrpc`, join(paths.runtime, 'docker.pid')]) {
    await rm(file, { force: true })
  }
}

async function startDaemon(
  [program, ...words]: readonly [string, ...string[]],
  logFile: string,
  env: NodeJS.ProcessEnv,
): Promise<ProcessIdentity> {
  const file = await open(logFile, 'w', 0o600)
  try {
    const child = spawn(program, words, {
      detached: true,
      env: withAdminPath(env),
      stdio: ['ignore', file.fd, file.fd],
    })
    await once(child, 'spawn').catch((cause: Error) => {
      throw new SetupError(`${program} could not be started: ${cause.message}`, { cause })
    })
    child.unref()
    // Undefined only if it has ended already; the wait below then reports its log.
    return identifyProcess(child.pid ?? 0) ?? { pid: child.pid ?? 0, startedAt: 'ended' }
  } finally {
    await file.close()
  }
}

async function untilAnswers(
  dockerHost: string,
  paths: Paths,
  containerd: ProcessIdentity,
  dockerd: ProcessIdentity,
): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS
  while ((await checkEngine(dockerHost, process.env, 1000)) !== undefined) {
    const ended = !isRunning(containerd) ? 'containerd' : !isRunning(dockerd) ? 'dockerd' : undefined
    if (ended === undefined && performance.now() < deadline) {
      await sleep(50)
      continue
    }
    const file = join(paths.logs, `${ended ?? 'dockerd'}.log`)
    const words = lastLines(await readFile(file, 'utf8').catch(() => ''), 8)
    const what = ended === undefined ? 'does not answer after 30 s' : `did not start: ${ended} ended`
    throw new SetupError(`the private Docker engine ${what}; the end of ${file}:\n${words}`)
  }
}
