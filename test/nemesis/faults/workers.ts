import { setTimeout as sleep } from 'node:timers/promises'
import type { Arena } from '../arena/arena.ts'
import { signalIfThere } from '../arena/client-process.ts'
import type { Fault } from './fault.ts'
import { times } from './redis.ts'

const SHIFT = new URL('../processes/shift-clock.mjs', import.meta.url).href
const DAY_AND_MORE_MS = 25 * 3_600_000

/** How a clock is wrong. */
interface ClockSettings {
  readonly shiftMs?: number
  readonly swingMs?: number
  /** Right until SIGUSR2, and again after the next one. */
  readonly waits?: boolean
}

/** Settings of a process with a wrong clock. */
export function clockEnvironment({
  shiftMs = 0,
  swingMs = 0,
  waits = false,
}: ClockSettings): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--import=${SHIFT}`,
    CHAOS_CLOCK_SHIFT_MS: String(shiftMs),
    CHAOS_CLOCK_SWING_MS: String(swingMs),
    ...(waits && { CHAOS_CLOCK_WAITS: 'true' }),
  }
}

/** Faults of workers. */
export const WORKER_FAULTS: readonly Fault[] = [
  {
    name: 'worker-killed',
    title: 'SIGKILL to one of two workers, another is started',
    strike: async (arena) => {
      signalWorker(arena, 0, 'SIGKILL')
      await arena.addWorker()
    },
  },
  {
    name: 'workers-killed',
    title: 'SIGKILL to all workers at once, others are started',
    strike: async (arena) => {
      for (const index of arena.workers.keys()) signalWorker(arena, index, 'SIGKILL')
      await Promise.all([arena.addWorker(), arena.addWorker()])
    },
  },
  {
    name: 'workers-killed-in-turn',
    title: 'SIGKILL to the oldest of two workers every 3 s, five times; another is started each time',
    strike: (arena) =>
      times(5, 3000, async () => {
        signalWorker(arena, arena.workers.length - 2, 'SIGKILL')
        await arena.addWorker()
      }),
  },
  {
    name: 'worker-terminated',
    title: 'SIGTERM to one of two workers, another is started',
    strike: async (arena) => {
      signalWorker(arena, 0, 'SIGTERM')
      await arena.addWorker()
    },
  },
  {
    name: 'rolling-restart',
    title: 'SIGTERM to each worker in turn, another is started before each',
    strike: async (arena) => {
      for (const worker of [...arena.workers]) {
        await arena.addWorker()
        await worker.stop()
      }
    },
  },
  {
    name: 'worker-frozen',
    title: 'SIGSTOP to one of two workers for 8 s',
    strike: (arena) => frozen(arena, [0], 8000),
  },
  {
    name: 'worker-frozen-long',
    title: 'SIGSTOP to one of two workers for 25 s, longer than its locks and its lease last',
    strike: (arena) => frozen(arena, [0], 25_000),
  },
  {
    name: 'workers-frozen-long',
    title: 'SIGSTOP to all workers for 25 s, while their programs go on',
    // A simulated program would be stopped with its worker.
    containers: true,
    strike: (arena) => frozen(arena, [...arena.workers.keys()], 25_000),
  },
  ...(['ahead', 'behind'] as const).map((direction) => ({
    name: `worker-clock-${direction}`,
    title: `the clock of one of three workers jumps 25 h ${direction}`,
    strike: async (arena: Arena) => {
      const shiftMs = direction === 'ahead' ? DAY_AND_MORE_MS : -DAY_AND_MORE_MS
      const { pid } = (await arena.addWorker(clockEnvironment({ shiftMs, waits: true }))).process
      signalIfThere(pid, 'SIGUSR2')
      await sleep(5000)
    },
  })),
  {
    name: 'worker-clocks-jump',
    title: 'the clocks of all workers jump by 20 min each second for 5 s',
    env: clockEnvironment({ swingMs: 600_000, waits: true }),
    strike: async (arena) => {
      const toggleAll = () => {
        for (const index of arena.workers.keys()) signalWorker(arena, index, 'SIGUSR2')
      }
      toggleAll()
      await sleep(5000)
      toggleAll()
    },
  },
]

function signalWorker(arena: Arena, index: number, signal: NodeJS.Signals): void {
  const worker = arena.workers[index]
  if (worker !== undefined) signalIfThere(worker.process.pid, signal)
}

async function frozen(arena: Arena, indexes: readonly number[], ms: number): Promise<void> {
  for (const index of indexes) signalWorker(arena, index, 'SIGSTOP')
  await sleep(ms)
  for (const index of indexes) signalWorker(arena, index, 'SIGCONT')
}
