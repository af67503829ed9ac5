import { setTimeout as sleep } from 'node:timers/promises'
import type { Arena } from '../arena/arena.ts'
import { signalIfThere } from '../arena/client-process.ts'
import { engineOf } from './engine.ts'
import type { Fault } from './fault.ts'
import { times } from './redis.ts'

const ROUNDS = 12
const PAUSE_MS = 400

/** Faults of the containers, from outside of them. */
export const CONTAINER_FAULTS: readonly Fault[] = [
  ...(['kill', 'stop', 'restart', 'rm'] as const).map((command) => ({
    name: `containers-${command}`,
    title: `docker ${command} of a random container ${ROUNDS} times`,
    containers: true,
    strike: (arena: Arena) =>
      times(ROUNDS, PAUSE_MS, async () => {
        const victim = await victimOf(arena)
        const words = {
          kill: ['kill'],
          stop: ['stop', '-t', '0'],
          restart: ['restart', '-t', '0'],
          rm: ['rm', '-f'],
        }[command]
        if (victim !== undefined)
          await engineOf(arena)
            .run(...words, victim)
            .catch(() => {})
      }),
  })),
  {
    name: 'containers-pause',
    title: `docker pause of a random container for 2 s, ${ROUNDS / 2} times`,
    containers: true,
    strike: (arena) =>
      times(ROUNDS / 2, PAUSE_MS, async () => {
        const victim = await victimOf(arena)
        if (victim === undefined) return
        await engineOf(arena)
          .run('pause', victim)
          .catch(() => {})
        await sleep(2000)
        await engineOf(arena)
          .run('unpause', victim)
          .catch(() => {})
      }),
  },
  {
    name: 'inits-killed',
    title: `SIGKILL to the first process of a random container ${ROUNDS} times`,
    containers: true,
    strike: (arena) => signalled(arena, 'init', 'SIGKILL'),
  },
  {
    name: 'inits-terminated',
    title: `SIGTERM to the first process of a random container ${ROUNDS} times`,
    containers: true,
    strike: (arena) => signalled(arena, 'init', 'SIGTERM'),
  },
  {
    name: 'shims-killed',
    title: `SIGKILL to the shim of a random container ${ROUNDS} times`,
    containers: true,
    strike: (arena) => signalled(arena, 'shim', 'SIGKILL'),
  },
  {
    name: 'shims-frozen',
    title: 'SIGSTOP to the shims of all containers for 5 s',
    containers: true,
    strike: async (arena) => {
      const ids = await engineOf(arena).containersOf(arena.name, 'running')
      const found = await Promise.all(ids.map((id) => engineOf(arena).processesOf(id)))
      const shims = found.flatMap((processes) => processes?.shim ?? [])
      for (const shim of shims) signalIfThere(shim, 'SIGSTOP')
      await sleep(5000)
      for (const shim of shims) signalIfThere(shim, 'SIGCONT')
    },
  },
  {
    name: 'worker-killed-with-containers',
    title: 'SIGKILL to one of two workers while its containers run, another is started',
    containers: true,
    strike: async (arena) => {
      signalIfThere(arena.workers[0]?.process.pid ?? 0, 'SIGKILL')
      await arena.addWorker()
    },
  },
  {
    name: 'redis-flushed-with-containers',
    title: 'FLUSHALL, then SIGKILL to all workers while containers run; others are started',
    containers: true,
    mayLoseJobs: true,
    strike: async (arena) => {
      await arena.redis.command('FLUSHALL')
      await sleep(6000)
      for (const { process } of [...arena.workers]) signalIfThere(process.pid, 'SIGKILL')
      await Promise.all([arena.addWorker(), arena.addWorker()])
    },
  },
]

/** A random running container of an arena. */
async function victimOf(arena: Arena): Promise<string | undefined> {
  const ids = (await engineOf(arena).containersOf(arena.name, 'running')).sort()
  return ids[Math.floor(arena.random() * ids.length)]
}

async function signalled(arena: Arena, who: 'init' | 'shim', signal: NodeJS.Signals): Promise<void> {
  await times(ROUNDS, PAUSE_MS, async () => {
    const victim = await victimOf(arena)
    const processes = victim && (await engineOf(arena).processesOf(victim))
    if (processes) signalIfThere(processes[who], signal)
  })
}
