import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHECKOUT, checkEngine, ensureStack, stackDown, stackPaths } from '@isopod/devstack'
import { endProcess, identifyProcess } from '../../../packages/devstack/src/process/process-identity.ts'
import { withAdminPath } from '../../../packages/devstack/src/run-command.ts'
import { readRecord, updateRecord } from '../../../packages/devstack/src/stack-record.ts'
import { docker } from '../../support/engine.ts'
import { SmallDisk } from './small-disk.ts'

const READY_MS = 30_000
/** Size of the disk of the engine, in MiB: enough to build its image and for the containers of one fault. */
const DISK_MB = 3072

/** A Docker engine of the arena alone, with its processes. */
export class EngineControl {
  readonly dockerHost: string
  /** The disk with all data of the engine; undefined if this host cannot mount one. */
  readonly disk: SmallDisk | undefined
  readonly #env: NodeJS.ProcessEnv
  readonly #log: (line: string) => void

  private constructor(
    { dockerHost, disk }: Pick<EngineControl, 'dockerHost' | 'disk'>,
    env: NodeJS.ProcessEnv,
    log: (line: string) => void,
  ) {
    this.dockerHost = dockerHost
    this.disk = disk
    this.#env = env
    this.#log = log
  }

  /** Starts a private engine below `.isopod/chaos`, which keeps its images for the next run. */
  static async open(log: (line: string) => void): Promise<EngineControl> {
    const folder = join(CHECKOUT, '.isopod', 'chaos')
    const disk = await SmallDisk.inFile(folder, `${folder}.img`, DISK_MB).catch((error: Error) => {
      log(`no disk of its own for the engine: ${error.message}`)
      return undefined
    })
    const env = { ...process.env, ISOPOD_STATE_DIR: join(folder, 'state') }
    try {
      const stack = await ensureStack({ env, log, privateOnly: true, workers: 0, images: ['bash'] })
      return new EngineControl({ dockerHost: stack.engine.dockerHost, disk }, env, log)
    } catch (error) {
      await stackDown({ env, log })
      await disk?.unmount()
      throw error
    }
  }

  get socket(): string {
    return this.dockerHost.replace(/^unix:\/\//, '')
  }

  /** Sends a signal to one of its processes. */
  async signal(name: 'dockerd' | 'containerd', signal: NodeJS.Signals): Promise<void> {
    const { engine } = await readRecord(stackPaths(this.#env))
    const identity = engine?.[name]
    if (identity !== undefined) process.kill(identity.pid, signal)
  }

  /** Stops one of its processes with SIGSTOP for a while. */
  async freeze(name: 'dockerd' | 'containerd', ms: number): Promise<void> {
    await this.signal(name, 'SIGSTOP')
    try {
      await sleep(ms)
    } finally {
      await this.signal(name, 'SIGCONT')
    }
  }

  /** Starts what is gone and waits until the engine answers. */
  async mend(): Promise<void> {
    await ensureStack({ env: this.#env, log: this.#log, privateOnly: true, workers: 0, images: [] })
  }

  /** Starts a killed containerd again, under a dockerd that runs. */
  async restartContainerd(): Promise<void> {
    const paths = stackPaths(this.#env)
    const { engine } = await readRecord(paths)
    if (engine === undefined) throw new Error('there is no engine to mend')
    await endProcess(engine.containerd, 1000)
    const file = await open(join(paths.logs, 'containerd.log'), 'a', 0o600)
    const child = spawn('containerd', ['--config', join(paths.state, 'containerd.toml')], {
      detached: true,
      env: withAdminPath(this.#env),
      stdio: ['ignore', file.fd, file.fd],
    })
    await once(child, 'spawn')
    child.unref()
    await file.close()
    const containerd = identifyProcess(child.pid ?? 0)
    if (containerd === undefined) throw new Error('containerd ended right after its start')
    await updateRecord(paths, (record) => ({ ...record, engine: { ...engine, containerd } }))
    const deadline = performance.now() + READY_MS
    while ((await checkEngine(this.dockerHost, this.#env)) !== undefined && performance.now() < deadline)
      await sleep(100)
  }

  /** Runs the `docker` command. */
  run(...words: string[]): Promise<string> {
    return docker(this.dockerHost, ...words)
  }

  /** Ids of the containers of one arena; with `running`, only those. */
  async containersOf(arena: string, state: 'running' | 'any' = 'any'): Promise<string[]> {
    const all = state === 'any' ? ['-a'] : []
    const ids = await this.run('ps', ...all, '-q', '--no-trunc', '--filter', `label=isopod.stack=${arena}`)
    return ids.split('\n').filter((id) => id !== '')
  }

  /** The process of a container's init, and the shim above it; undefined if the container does not run. */
  async processesOf(container: string): Promise<{ init: number; shim: number } | undefined> {
    const text = await this.run('inspect', '--format', '{{.State.Pid}}', container).catch(() => '0')
    const init = Number(text)
    if (!Number.isSafeInteger(init) || init <= 1) return undefined
    try {
      const stat = readFileSync(`/proc/${init}/stat`, 'latin1')
      const shim = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return shim > 1 ? { init, shim } : undefined
    } catch {
      return undefined
    }
  }

  async close(): Promise<void> {
    await stackDown({ env: this.#env, log: this.#log })
    await this.disk?.unmount()
  }
}
