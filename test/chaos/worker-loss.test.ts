import type { Result } from '@isopod/client'
import { afterEach, describe, expect, it } from 'vitest'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World | undefined

afterEach(async () => {
  await world?.close()
  world = undefined
})

/** Collects results of one queue until `count` distinct ones came, then waits a moment for doubles. */
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

/** Containers of a world in which something runs. */
async function running(of: World): Promise<string[]> {
  const ids = await docker(of.dockerHost, 'ps', '-q', '--filter', `label=isopod.stack=${of.prefix}`)
  return ids.split('\n').filter((id) => id !== '')
}

describe('a worker that is lost', () => {
  // promise: exactly-once
  it('loses no job and doubles none when it is killed in the middle, and its containers are removed', async () => {
    world = await startWorld({ workers: 2, env: { ISOPOD_SLOTS: '2', ISOPOD_POOL_SIZE: '0' } })
    const jobs = Array.from({ length: 24 }, (_, index) => ({
      language: 'bash',
      code: `sleep 0.5; echo ${index}`,
      replyTo: 'killed',
    }))
    const results = collect(world, 'killed', jobs.length)
    const ids = await world.client.submitMany(jobs)
    const victim = world.workers[0]?.process.pid
    if (victim === undefined) throw new Error('no worker')
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    process.kill(victim, 'SIGKILL')

    const received = await results
    expect(received.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(received.filter(({ status }) => status !== 'success')).toEqual([])
    // Its programs ended with its connections; the reaper takes the containers once its lease has run out.
    expect(await running(world)).toEqual([])
    expect(await eventually(world.containers, (left) => left.length === 0, 70_000)).toEqual([])
  })
})

it('a worker that is killed while containers wait and are made ahead leaves none, waiting or running', async () => {
  world = await startWorld({ workers: 2, env: { ISOPOD_SLOTS: '2', ISOPOD_POOL_SIZE: '6' } })
  const { dockerHost, prefix } = world
  const list = ['ps', '-a', '--filter', `label=isopod.stack=${prefix}`, '--format', '{{.Names}}']
  const ahead = async () => (await docker(dockerHost, ...list)).match(/isopod-pool-/g) ?? []
  const victim = world.workers[0]?.process.pid
  if (victim === undefined) throw new Error('no worker')
  const jobs = Array.from({ length: 12 }, () => ({ language: 'bash', code: 'sleep 0.3' }))
  const ids = await world.client.submitMany(jobs)
  await eventually(ahead, (found) => found.length > 2)
  process.kill(victim, 'SIGKILL')
  await Promise.all(ids.map((id) => world?.client.wait(id)))
  await world.workers[1]?.stop()
  expect(await running(world)).toEqual([])

  // The reaper of any worker of the deployment sees to the rest once the lease has run out.
  await world.addWorker()
  expect(await eventually(world.containers, (left) => left.length === 0, 70_000)).toEqual([])
})

describe('a worker that is told to stop', () => {
  // promise: drain
  it('finishes what it can within its grace, hands back the rest, and leaves no container', async () => {
    world = await startWorld({ env: { ISOPOD_SLOTS: '2', ISOPOD_DRAIN_SECONDS: '2' } })
    const short = await world.client.submit({ language: 'bash', code: 'sleep 1; echo short' })
    const long = await world.client.submit({ language: 'bash', code: 'sleep 6; echo long' })
    await new Promise((resolve) => setTimeout(resolve, 600))
    await world.workers[0]?.stop()

    expect(await world.client.result(short)).toMatchObject({ status: 'success', stdout: 'short\n' })
    expect(await world.client.result(long)).toBeUndefined()
    expect(await world.containers()).toEqual([])

    await world.addWorker()
    expect(await world.client.wait(long)).toMatchObject({ status: 'success', stdout: 'long\n', attempt: 2 })
  })
})
