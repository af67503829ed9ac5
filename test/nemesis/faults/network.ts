import { setTimeout as sleep } from 'node:timers/promises'
import type { Arena } from '../arena/arena.ts'
import type { Link } from '../arena/link.ts'
import type { Fault } from './fault.ts'
import { times } from './redis.ts'

type Side = 'workerLink' | 'clientLink'
const WHO = { workerLink: 'workers', clientLink: 'client' } as const
const FORGOTTEN_MS = 20_000

/** Faults between Redis and those who use it. */
export const NETWORK_FAULTS: readonly Fault[] = (['workerLink', 'clientLink'] as const).flatMap(
  (side) =>
    [
      {
        name: `${WHO[side]}-cut-off`,
        title: `the connections of the ${WHO[side]} break, and new ones are refused for 5 s`,
        strike: (arena) => cutFor(arena[side], 5000),
      },
      {
        name: `${WHO[side]}-flapping`,
        title: `the connections of the ${WHO[side]} break and come back eight times, every second`,
        strike: (arena) => times(8, 500, () => cutFor(arena[side], 500)),
      },
      {
        name: `${WHO[side]}-forgotten`,
        title: `the connections of the ${WHO[side]} stay open but silent for ever; new ones pass after ${FORGOTTEN_MS / 1000} s`,
        strike: async (arena) => {
          arena[side].forget()
          await sleep(FORGOTTEN_MS)
          arena[side].remember()
        },
      },
      {
        name: `${WHO[side]}-unanswered`,
        title: `commands of the ${WHO[side]} arrive, their answers are lost for 5 s`,
        strike: async (arena) => {
          await arena[side].loseAnswers(true)
          await sleep(5000)
          await arena[side].loseAnswers(false)
        },
      },
      delayed(side),
    ] satisfies Fault[],
)

function delayed(side: Side): Fault {
  return {
    name: `${WHO[side]}-far-away`,
    title: `every packet of the ${WHO[side]} takes 5 to 105 ms for 10 s`,
    strike: async (arena: Arena) => {
      arena[side].delay(() => 5 + 100 * arena.random())
      await sleep(10_000)
      arena[side].delay(() => 0)
    },
  }
}

/** Cuts a relay for a while. */
export async function cutFor(link: Link, ms: number): Promise<void> {
  await link.cut()
  await sleep(ms)
  await link.open()
}
