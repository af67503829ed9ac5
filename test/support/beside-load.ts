import type { IsopodClient } from '@isopod/client'
import { eventually } from './eventually.ts'

/** A Python program that never ends and never waits. */
export const SPIN = 'while True: pass'

/** Settings of a worker with more processors than its host has, so that executions compete for them. */
export const OVERCOMMITTED = { ISOPOD_SLOTS: '13', ISOPOD_CPUS: '64' } as const

/** Does `work` while eight Python programs keep the processors busy for this many seconds. */
export async function besideLoad<T>(
  client: IsopodClient,
  seconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const limits = { timeoutSeconds: seconds, cpus: 2, cpuSeconds: 60, memoryMb: 64 }
  const burners = await client.submitMany(
    Array.from({ length: 8 }, () => ({ language: 'python', code: SPIN, limits })),
  )
  await eventually(
    () => Promise.all(burners.map((id) => client.state(id))),
    (states) => states.every((state) => state === 'running'),
  )
  const done = await work()
  await Promise.all(burners.map((id) => client.wait(id)))
  return done
}
