import { readdir } from 'node:fs/promises'
import { openDockerDriver } from '@isopod/sandbox'
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from '../../../packages/devstack/src/process/process-identity.ts'
import { type Arena, REPLY_TO } from './arena.ts'

/** Names of BullMQ's keys of a queue that may stay while the queue exists. */
const OF_QUEUE = new Set(['id', 'meta', 'events', 'marker', 'stalled-check', 'limiter', 'pc', 'repeat'])

/** Looks for what the processes of an arena left behind, after they have stopped. Returns one sentence per finding. */
export async function findLeftovers(arena: Arena, processes: readonly ProcessIdentity[]): Promise<string[]> {
  const running = processes.filter(isRunning).map(({ pid }) => `process ${pid} still runs`)
  return [
    ...running,
    ...(await leftContainers(arena)),
    ...(await leftKeys(arena)),
    ...(await readdir(arena.temporary)).map((file) => `file ${file} in the temporary folder`),
  ]
}

/** The identities of an arena's workers, to be asked for while they run. */
export function identitiesOf(arena: Arena): ProcessIdentity[] {
  return arena.workers.flatMap(({ process: { pid } }) => identifyProcess(pid) ?? [])
}

/** The containers that the reaper of the deployment's next worker would not remove. */
async function leftContainers({ engine, name, redis }: Arena): Promise<string[]> {
  if (engine === undefined) return []
  const [deployment = ''] = await redis.command('GET', `{${name}}:deployment`)
  const driver = await openDockerDriver({
    ...{ address: engine.dockerHost, deployment, owner: 'nemesis', allowOldRunc: true, reaperGraceMs: 0 },
    users: { first: 60_000, last: 60_255, gid: 65_534 },
  })
  await driver.reap(async () => new Set())
  await driver.close()
  return (await engine.containersOf(name)).map((id) => `container ${id.slice(0, 12)}`)
}

/** Keys of jobs and of their results that neither expire nor belong to a queue as such. */
async function leftKeys({ name, redis }: Arena): Promise<string[]> {
  const prefix = `{${name}}:`
  const keys = (await redis.command('--scan', '--pattern', `${prefix}*`)).map((key) =>
    key.slice(prefix.length),
  )
  const suspects = keys.filter((key) => {
    const [queue = '', part = '', ...more] = key.split(':')
    return (queue === 'jobs' || queue === `results-${REPLY_TO}`) && (more.length > 0 || !OF_QUEUE.has(part))
  })
  const ttls = await Promise.all(suspects.map((key) => redis.command('TTL', `${prefix}${key}`)))
  return suspects.filter((_, index) => ttls[index]?.[0] === '-1').map((key) => `key ${key}`)
}
