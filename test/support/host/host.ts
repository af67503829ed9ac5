import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { World } from '../world.ts'
import { plantCanaries } from './canaries.ts'
import { watchEngine } from './engine-state.ts'
import { watchKernel } from './kernel-state.ts'
import { listenEverywhere } from './listeners.ts'
import type { Observer } from './observer.ts'
import { startVictim, watchProcesses } from './processes.ts'
import { watchRedis } from './redis-state.ts'
import { watchSharedObjects } from './shared-objects.ts'
import { watchWorker } from './worker-state.ts'

/** Names of the observers of the host. `containment` is checked for each job separately. */
export const OBSERVERS = [
  'files',
  'network',
  'kernel',
  'objects',
  'victim',
  'processes',
  'engine',
  'redis',
  'worker',
] as const

/** Name of an observer of the host. */
export type ObserverName = (typeof OBSERVERS)[number]

/** The host of the workers, under observation. */
export interface Host {
  /** What a well-informed attacker could know about this host, as lines of `name value` for the program's stdin. */
  readonly knowledge: string
  /** Contents of the host's secret files, which must not appear in any output. */
  readonly secrets: readonly string[]
  /** Changes since the start: one sentence each, after the observer's name. */
  findings(): Promise<string[]>
  close(): Promise<void>
}

/** User of programs if the deployment sets none. */
const DEFAULT_USER = { uid: 65534, gid: 65534 }

/** Starts to observe the host of a world's workers. */
export async function watchHost(world: Pick<World, 'dockerHost' | 'redisUrl' | 'workers'>): Promise<Host> {
  const number = randomBytes(4)
  const marker = `isopod-attack-${number.toString('hex')}`
  // System V keys are numbers. Without the sign bit all tables of the kernel print the same key.
  const key = number.readUInt32BE() & 0x7fffffff
  const engine = await watchEngine(world.dockerHost, marker)
  const files = await plantCanaries([tmpdir(), '/root', '/etc', engine.dataRoot], marker)
  const network = await listenEverywhere()
  const victim = await startVictim(DEFAULT_USER)
  const pid = world.workers[0]?.process.pid ?? victim.pid
  const observers: Record<ObserverName, Observer> = {
    files,
    network,
    kernel: watchKernel(),
    objects: watchSharedObjects(marker, key),
    victim,
    processes: watchProcesses(marker),
    engine,
    redis: watchRedis(world.redisUrl, marker),
    worker: watchWorker(pid),
  }
  const knowledge = [
    ['marker', marker],
    ['key', key],
    ['victim', victim.pid],
    ['worker', pid],
    ...files.paths.map((path) => ['file', path]),
    ['socket', world.dockerHost.replace(/^unix:\/\//, '')],
    ['socket', world.redisUrl.replace(/^redis\+unix:\/\//, '')],
    ['socket', network.socketPath],
    ['abstract', network.abstractName],
    ...network.addresses.flatMap((address) => [
      ['tcp', `${address} ${network.tcpPort}`],
      ['udp', `${address} ${network.udpPort}`],
    ]),
  ]
  return {
    knowledge: knowledge.map(([name, value]) => `${name} ${value}\n`).join(''),
    secrets: [files.secret],
    async findings() {
      const lists = await Promise.all(
        OBSERVERS.map(async (name) =>
          (await observers[name].findings()).map((finding) => `${name}: ${finding}`),
        ),
      )
      return lists.flat()
    },
    async close() {
      for (const name of OBSERVERS) await observers[name].close?.()
    },
  }
}
