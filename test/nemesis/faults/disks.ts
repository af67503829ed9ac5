import type { Arena } from '../arena/arena.ts'
import type { SmallDisk } from '../arena/small-disk.ts'
import { engineOf } from './engine.ts'
import type { Fault } from './fault.ts'

/** Longer than the tries of a job last, also if the breaker of its worker pauses between them. */
const ENGINE_FULL_MS = 45_000
const FULL_MS = 10_000

/** Faults of disks that are full. */
export const DISK_FAULTS: readonly Fault[] = [
  {
    name: 'redis-disk-full',
    title: `the disk of Redis is full for ${FULL_MS / 1000} s`,
    smallDisk: 'redis',
    strike: (arena) => smallDiskOf(arena).fullFor(FULL_MS),
  },
  {
    name: 'workers-disk-full',
    title: `the disk with the workers' logs and temporary files is full for ${FULL_MS / 1000} s, and another worker starts`,
    smallDisk: 'workers',
    strike: (arena) => smallDiskOf(arena).fullFor(FULL_MS, () => arena.addWorker()),
  },
  {
    name: 'engine-disk-full',
    title: `the disk of the engine is full for ${ENGINE_FULL_MS / 1000} s, longer than the tries of a job last`,
    containers: true,
    strike: async (arena) => {
      const { disk } = engineOf(arena)
      if (disk === undefined) throw new Error('this host cannot mount a file as a disk')
      await disk.fullFor(ENGINE_FULL_MS)
    },
  },
]

function smallDiskOf({ smallDisk }: Arena): SmallDisk {
  if (smallDisk === undefined) throw new Error('this fault needs a small disk')
  return smallDisk
}
