import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDockerDriver } from '@isopod/sandbox'
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from '../../../packages/devstack/src/process/process-identity.ts'
import type { Arena } from './arena.ts'

/** How long a sweep may take, in milliseconds. */
const SWEEP_MS = 2000

/** Names of BullMQ's keys of a queue that may stay while the queue exists. */
const OF_QUEUE = new Set(['id', 'meta', 'events', 'marker', 'stalled-check', 'limiter', 'pc', 'repeat'])

/** Keys that may stay without an expiry (packages/queue/README.md). */
const PERMANENT = new Set([
  ...['catalogue', 'deployment', 'job-seconds', 'max-waiting', 'tenants', 'quarantine'],
  // Workers keep them clean; entries of a killed one go with the next sweep.
  ...['slots', 'deadlines', 'reply-queues'],
  // One without an expiry is of another program; the next sweep replaces it.
  'claim',
])

/** Looks for what the processes of an arena left behind, after they have stopped. Returns one sentence per finding. */
export async function findLeftovers(arena: Arena, processes: readonly ProcessIdentity[]): Promise<string[]> {
  const running = processes.filter(isRunning).map(({ pid }) => `process ${pid} still runs`)
  if ((await leftKeys(arena)).length > 0) await letNextWorkerSweep(arena)
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

/** Starts one more worker, which sweeps at once what it would otherwise sweep within ten minutes. */
async function letNextWorkerSweep(arena: Arena): Promise<void> {
  await arena.redis.command('DEL', `{${arena.name}}:claim:sweep`, `{${arena.name}}:claim:orphans`)
  const worker = await arena.addWorker()
  // The sweep begins with the worker; what it finds waits in the queue then.
  await sleep(SWEEP_MS)
  await arena.untilSettled()
  await worker.stop()
}

/** Keys that neither expire, nor belong to a queue as such, nor are permanent. */
async function leftKeys({ name, redis }: Arena): Promise<string[]> {
  const prefix = `{${name}}:`
  const keys = (await redis.command('--scan', '--pattern', `${prefix}*`)).map((key) =>
    key.slice(prefix.length),
  )
  const suspects = keys.filter((key) => {
    const [queue = '', part = '', ...more] = key.split(':')
    const isOfQueue = queue === 'jobs' || queue.startsWith('results-')
    return isOfQueue ? more.length > 0 || !OF_QUEUE.has(part) : !PERMANENT.has(queue)
  })
  const ttls = await Promise.all(suspects.map((key) => redis.command('TTL', `${prefix}${key}`)))
  return suspects.filter((_, index) => ttls[index]?.[0] === '-1').map((key) => `key ${key}`)
}
