import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EngineService, engineJson } from '@isopod/devstack'
import { DEFAULT_LIMITS, type Limits } from '@isopod/protocol'
import Docker from 'dockerode'

const LABEL = 'isopod.stack'
/** Maximum wait for running containers; programs of the benchmark take less. */
const SWEEP_WAIT_MS = 5000

/** The engine that all contenders share. */
export interface Engine {
  readonly docker: Docker
  readonly dockerHost: string
  /** The `docker` command, and its environment for this engine. */
  readonly cli: string
  readonly cliEnv: NodeJS.ProcessEnv
  /** Label `name=value` of everything that the benchmark makes. */
  readonly label: string
  readonly labels: Readonly<Record<string, string>>
  readonly limits: Limits
  readonly runtimes: readonly string[]
  readonly defaultRuntime: string
  /** Runs work that makes and removes a container. Rejects after an interruption. */
  once<T>(work: () => Promise<T>): Promise<T>
  /** Waits a few seconds for running work, then removes every container with the label. */
  sweep(): Promise<void>
}

/** Opens the engine of a stack; `id` labels everything that this run makes there. */
export async function openEngine(service: EngineService, id: string, signal: AbortSignal): Promise<Engine> {
  const { dockerHost } = service
  const docker = new Docker(connection(dockerHost))
  const info = (await engineJson(dockerHost, '/info')) as { Runtimes?: object; DefaultRuntime: string }
  const { DOCKER_CONTEXT: _, ...env } = process.env
  const begun = new Set<Promise<unknown>>()
  return {
    docker,
    dockerHost,
    // The command of the distribution fits its daemon, while another one on PATH can be too new for it.
    cli: service.ours && existsSync('/usr/bin/docker') ? '/usr/bin/docker' : 'docker',
    cliEnv: { ...env, DOCKER_HOST: dockerHost },
    label: `${LABEL}=${id}`,
    labels: { [LABEL]: id },
    limits: DEFAULT_LIMITS,
    runtimes: Object.keys(info.Runtimes ?? {}),
    defaultRuntime: info.DefaultRuntime,
    async once(work) {
      signal.throwIfAborted()
      const promise = work()
      begun.add(promise)
      try {
        return await promise
      } finally {
        begun.delete(promise)
      }
    },
    async sweep() {
      await Promise.race([Promise.allSettled(begun), sleep(SWEEP_WAIT_MS, undefined, { ref: false })])
      const filters = { label: [`${LABEL}=${id}`] }
      const left = await docker.listContainers({ all: true, filters })
      await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
    },
  }
}

function connection(dockerHost: string): Docker.DockerOptions {
  if (dockerHost.startsWith('unix://')) return { socketPath: dockerHost.slice('unix://'.length) }
  const { hostname, port, protocol } = new URL(dockerHost.replace(/^tcp:/, 'http:'))
  return { host: hostname, port: Number(port), protocol: protocol === 'https:' ? 'https' : 'http' }
}
