import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EngineService, engineJson } from '@isopod/devstack'
import { DEFAULT_LIMITS, type Limits } from '@isopod/protocol'
import Docker from 'dockerode'

const LABEL = 'isopod.stack'
/** A program of the benchmark takes less. */
const SWEEP_WAIT_MS = 5000

/** The engine that all contenders share, as the two that are not Isopod see it. */
export interface Engine {
  readonly docker: Docker
  readonly dockerHost: string
  /** The `docker` command, and the environment in which it speaks to this engine. */
  readonly cli: string
  readonly cliEnv: NodeJS.ProcessEnv
  /** `name=value`, on everything that the benchmark makes. */
  readonly label: string
  readonly labels: Readonly<Record<string, string>>
  readonly limits: Limits
  readonly runtimes: readonly string[]
  readonly defaultRuntime: string
  /** Does something that makes a container and takes it away again; nothing new is begun after an interruption. */
  once<T>(work: () => Promise<T>): Promise<T>
  /** Waits for what was begun, a few seconds at most, and removes every container with the label. */
  sweep(): Promise<void>
}

/** Looks at the engine of a stack; `id` marks all that this run makes there. */
export async function openEngine(service: EngineService, id: string, signal: AbortSignal): Promise<Engine> {
  const { dockerHost } = service
  const docker = new Docker(connection(dockerHost))
  const info = (await engineJson(dockerHost, '/info')) as { Runtimes?: object; DefaultRuntime: string }
  const { DOCKER_CONTEXT: _, ...env } = process.env
  const begun = new Set<Promise<unknown>>()
  return {
    docker,
    dockerHost,
    // The command that came with a private daemon; another one on PATH may be too new for it.
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
