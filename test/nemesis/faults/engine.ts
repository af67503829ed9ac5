import { setTimeout as sleep } from 'node:timers/promises'
import { IMAGES } from '@isopod/devstack'
import type { Arena } from '../arena/arena.ts'
import { signalIfThere } from '../arena/client-process.ts'
import type { EngineControl } from '../arena/engine-control.ts'
import type { Link } from '../arena/link.ts'
import type { Fault } from './fault.ts'
import { cutFor } from './network.ts'
import { times } from './redis.ts'

const KEPT_TAG = 'isopod/kept:chaos'

/** The engine of an arena whose fault needs one. */
export function engineOf({ engine }: Arena): EngineControl {
  if (engine === undefined) throw new Error('this fault needs containers')
  return engine
}

function linkOf({ engineLink }: Arena): Link {
  if (engineLink === undefined) throw new Error('this fault needs containers')
  return engineLink
}

/** Faults of the Docker engine. */
export const ENGINE_FAULTS: readonly Fault[] = [
  {
    name: 'dockerd-frozen',
    title: 'SIGSTOP to dockerd for 12 s',
    containers: true,
    strike: (arena) => engineOf(arena).freeze('dockerd', 12_000),
  },
  {
    name: 'worker-terminated-engine-frozen',
    title: 'SIGTERM to one of two workers while SIGSTOP holds dockerd for 12 s, another is started',
    containers: true,
    strike: async (arena) => {
      const frozen = engineOf(arena).freeze('dockerd', 12_000)
      await sleep(1000)
      signalIfThere(arena.workers[0]?.process.pid ?? 0, 'SIGTERM')
      await frozen
      await arena.addWorker()
    },
  },
  {
    name: 'dockerd-killed',
    title: 'SIGKILL to dockerd; the engine is started again',
    containers: true,
    strike: async (arena) => {
      await engineOf(arena).signal('dockerd', 'SIGKILL')
      await engineOf(arena).mend()
    },
  },
  {
    name: 'dockerd-terminated',
    title: 'SIGTERM to dockerd, which stops all containers; the engine is started again',
    containers: true,
    strike: async (arena) => {
      await engineOf(arena).signal('dockerd', 'SIGTERM')
      await sleep(3000)
      await engineOf(arena).mend()
    },
  },
  {
    name: 'containerd-frozen',
    title: 'SIGSTOP to containerd for 12 s',
    containers: true,
    strike: (arena) => engineOf(arena).freeze('containerd', 12_000),
  },
  {
    name: 'containerd-killed',
    title: 'SIGKILL to containerd, started again after 2 s',
    containers: true,
    strike: async (arena) => {
      await engineOf(arena).signal('containerd', 'SIGKILL')
      await sleep(2000)
      await engineOf(arena).restartContainerd()
    },
  },
  {
    name: 'engine-cut-off',
    title: 'the connections to the engine break, and new ones are refused for 5 s',
    containers: true,
    strike: (arena) => cutFor(linkOf(arena), 5000),
  },
  {
    name: 'engine-flapping',
    title: 'the connections to the engine break eight times, every second',
    containers: true,
    strike: (arena) => times(8, 1000, async () => linkOf(arena).breakAll()),
  },
  {
    name: 'engine-forgotten',
    title: 'the connections to the engine stay open but silent for ever; new ones pass after 12 s',
    containers: true,
    strike: async (arena) => {
      linkOf(arena).forget()
      await sleep(12_000)
      linkOf(arena).remember()
    },
  },
  {
    name: 'engine-slow',
    title: 'every packet to and from the engine takes 20 to 70 ms for 10 s',
    containers: true,
    strike: async (arena) => {
      linkOf(arena).delay(() => 20 + 50 * arena.random())
      await sleep(10_000)
      linkOf(arena).delay(() => 0)
    },
  },
  {
    name: 'image-missing',
    title: 'the image is away for 20 s, longer than the tries of a job last',
    containers: true,
    strike: async (arena) => {
      const engine = engineOf(arena)
      await engine.run('tag', IMAGES.bash, KEPT_TAG)
      await engine.run('rmi', IMAGES.bash)
      await sleep(20_000)
      await engine.run('tag', KEPT_TAG, IMAGES.bash)
      await engine.run('rmi', KEPT_TAG)
    },
  },
]
