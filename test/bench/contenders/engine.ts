import { existsSync } from 'node:fs'
import { type EngineService, engineJson } from '@isopod/devstack'
import { DEFAULT_LIMITS, type Limits } from '@isopod/protocol'
import Docker from 'dockerode'

const LABEL = 'isopod.stack'

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
  /** Removes every container with the label. Resolves with how many there were. */
  sweep(): Promise<number>
}

/** Looks at the engine of a stack; `id` marks all that this run makes there. */
export async function openEngine(service: EngineService, id: string): Promise<Engine> {
  const { dockerHost } = service
  const docker = new Docker(connection(dockerHost))
  const info = (await engineJson(dockerHost, '/info')) as { Runtimes?: object; DefaultRuntime: string }
  const { DOCKER_CONTEXT: _, ...env } = process.env
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
    async sweep() {
      const filters = { label: [`${LABEL}=${id}`] }
      const left = await docker.listContainers({ all: true, filters })
      await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
      return left.length
    },
  }
}

function connection(dockerHost: string): Docker.DockerOptions {
  if (dockerHost.startsWith('unix://')) return { socketPath: dockerHost.slice('unix://'.length) }
  const { hostname, port, protocol } = new URL(dockerHost.replace(/^tcp:/, 'http:'))
  return { host: hostname, port: Number(port), protocol: protocol === 'https:' ? 'https' : 'http' }
}
