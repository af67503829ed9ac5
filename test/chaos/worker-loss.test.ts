import type { Result } from '@isopod/client'
import { expect, it, type TestContext } from 'vitest'
import { expireLease, expireLocks, killWorker } from '../support/crash.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { groupOf } from '../support/host/control-group.ts'
import { DRIVER } from '../support/runtime.ts'
import { recordedSandboxes, sandboxesOf } from '../support/sandboxes.ts'
import { startWorld, type World, type WorldOptions } from '../support/world.ts'

/** A world for one test, because the tests run at the same time: they mostly wait for leases to expire. */
async function worldOf({ onTestFinished }: TestContext, options: WorldOptions): Promise<World> {
  const world = await startWorld(options)
  onTestFinished(() => world.close())
  return world
}

/** Collects `count` results of one results queue, then waits for possible duplicates. */
async function collect(of: World, replyTo: string, count: number): Promise<Result[]> {
  const received: Result[] = []
  const done = Promise.withResolvers<void>()
  const consumer = of.client.results(
    async (result) => {
      received.push(result)
      if (received.length >= count) done.resolve()
    },
    { replyTo },
  )
  await done.promise
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await consumer.close()
  return received
}

/** Ids of a world's running containers. */
async function running(of: World): Promise<string[]> {
  if (DRIVER === 'process')
    return (await sandboxesOf(of.sandboxState)).filter((id) => (groupOf(id)?.tasks() ?? 0) > 0)
  const ids = await docker(of.dockerHost, 'ps', '-q', '--filter', `label=isopod.stack=${of.prefix}`)
  return ids.split('\n').filter((id) => id !== '')
}

/** Ids of a world's containers that still run after the time that a busy engine needs to notice the end of a connection. */
function stillRunning(of: World): Promise<string[]> {
  const list = () => running(of)
  return eventually(list, (ids) => ids.length === 0, 5_000)
}

// promise: exactly-once
it.concurrent('a worker that is killed in the middle loses and duplicates no job, and its containers are removed', async (context) => {
  const world = await worldOf(context, { workers: 2, env: { ISOPOD_SLOTS: '2', ISOPOD_POOL_SIZE: '0' } })
  const jobs = Array.from({ length: 24 }, (_, index) => ({
    language: 'bash',
    code: `sleep 0.5; echo ${index}`,
    replyTo: 'killed',
  }))
  const results = collect(world, 'killed', jobs.length)
  const ids = await world.client.submitMany(jobs)
  await eventually(world.log, (lines) => lines.some(({ event }) => event === 'finished'))
  await killWorker(world)
  await expireLease(world)
  await world.addWorker()

  const received = await results
  expect(received.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(received.filter(({ status }) => status !== 'success')).toEqual([])
  // The programs of the killed worker ended with its connections. A reaper removes the containers after its lease.
  expect(await stillRunning(world)).toEqual([])
  expect(await eventually(world.containers, (left) => left.length === 0, 70_000)).toEqual([])
})

it.concurrent('a worker that is killed while it fills its pool leaves no container, neither pooled nor running', async (context) => {
  const world = await worldOf(context, { workers: 2, env: { ISOPOD_SLOTS: '2', ISOPOD_POOL_SIZE: '6' } })
  const { dockerHost, prefix, sandboxState } = world
  const list = ['ps', '-a', '--filter', `label=isopod.stack=${prefix}`, '--format', '{{.Names}}']
  const ahead = async () =>
    DRIVER === 'process'
      ? (await recordedSandboxes(sandboxState)).filter(({ job }) => job === '')
      : ((await docker(dockerHost, ...list)).match(/isopod-pool-/g) ?? [])
  const jobs = Array.from({ length: 12 }, () => ({ language: 'bash', code: 'sleep 0.3' }))
  const ids = await world.client.submitMany(jobs)
  await eventually(ahead, (found) => found.length > 2)
  await killWorker(world)
  await Promise.all([expireLease(world), expireLocks(world)])
  await Promise.all(ids.map((id) => world.client.wait(id)))
  await world.workers[1]?.stop()
  expect(await stillRunning(world)).toEqual([])

  // After the lease, the reaper of any worker of the deployment removes the remaining containers.
  await world.addWorker()
  expect(await eventually(world.containers, (left) => left.length === 0, 70_000)).toEqual([])
})

// promise: drain
it.concurrent('a worker that receives SIGTERM finishes what it can within its grace period, requeues the rest, and leaves no container', async (context) => {
  const world = await worldOf(context, { env: { ISOPOD_SLOTS: '2', ISOPOD_DRAIN_SECONDS: '8' } })
  const submit = (seconds: number) =>
    world.client.submit({
      language: 'bash',
      code: `echo started; sleep ${seconds}; echo ended`,
      stream: true,
    })
  const [short, long] = await Promise.all([submit(1), submit(60)])
  for (const id of [short, long]) {
    for await (const { type } of world.client.events(id)) if (type === 'stdout') break
  }
  await world.workers[0]?.stop()

  expect(await world.client.result(short)).toMatchObject({ status: 'success', stdout: 'started\nended\n' })
  expect(await world.client.result(long)).toBeUndefined()
  expect(await world.containers()).toEqual([])

  await world.addWorker()
  await eventually(
    () => world.client.state(long),
    (state) => state === 'running',
  )
  await world.client.cancel(long)
  expect(await world.client.wait(long)).toMatchObject({ status: 'cancelled', attempt: 2 })
})
