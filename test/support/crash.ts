import { redisCli } from './redis.ts'
import type { World } from './world.ts'

/**
 * Kills the n-th worker of a world with SIGKILL, like a crash.
 *
 * @throws {Error} with the end of its log if it has ended by itself
 */
export async function killWorker(world: World, index = 0): Promise<void> {
  const pid = world.workers[index]?.process.pid
  if (pid === undefined) throw new Error(`there is no worker ${index}`)
  try {
    process.kill(pid, 'SIGKILL')
  } catch (cause) {
    const log = (await world.written(index)).slice(-2000)
    throw new Error(`worker ${index} has ended by itself; the end of its log:\n${log}`, { cause })
  }
}

/**
 * Expires the lease of a killed worker, up to 20 s early, so that a test need not wait. It only shortens an existing expiry, so
 * a worker that forgot to set one would still fail the test.
 */
export async function expireLease(world: World, index = 0): Promise<void> {
  const [line] = await world.log(index)
  await expire(world, `lease:${line?.['worker']}`)
}

/** Expires the locks of a killed worker's jobs, up to 15 s early, so that other workers take these jobs within 10 s. */
export async function expireLocks(world: World, index = 0): Promise<void> {
  const lines = await world.log(index)
  const jobsOf = (of: string) => lines.flatMap(({ event, job }) => (event === of ? [String(job)] : []))
  const finished = new Set(jobsOf('finished'))
  const running = jobsOf('requested').filter((job) => !finished.has(job))
  await Promise.all(running.map((job) => expire(world, `jobs:${job}:lock`)))
}

async function expire({ redisUrl, prefix }: World, key: string): Promise<void> {
  await redisCli(redisUrl, 'PEXPIRE', `{${prefix}}:${key}`, '1', 'XX')
}
