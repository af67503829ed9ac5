import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ContainerSource } from '../../../src/acquire/container-source.ts'
import { ContainerPool } from '../../../src/acquire/pool/container-pool.ts'
import { PooledContainers } from '../../../src/acquire/pool/pooled-containers.ts'
import type { Container } from '../../../src/driver/container.ts'
import { limits, script } from '../../support/execution.ts'
import { FakeContainer, FakeMaker, kind } from '../../support/fake-maker.ts'

const never = new AbortController().signal
const execution = script('true')
let maker: FakeMaker
let pool: ContainerPool
let source: PooledContainers
const outcomes: string[] = []

/** Makes new containers. */
const fresh: ContainerSource = {
  acquire: async () => {
    const purpose = { name: 'x', origin: 'made', job: 'j', attempt: 1, deadline: 0 } as const
    return new FakeContainer(kind('fresh'), purpose) as unknown as Container
  },
  release: () => {},
}

beforeEach(() => {
  maker = new FakeMaker()
  maker.takesMs = 1
  outcomes.length = 0
  const policy = { size: 2, refills: 1, idleMs: 60_000, memoryMb: 100, footprintMb: () => 1 }
  pool = new ContainerPool({ maker, policy })
  source = new PooledContainers({
    pool,
    fresh,
    changeable: () => true,
    onAsked: (_, outcome) => outcomes.push(outcome),
  })
})

afterEach(() => pool.close())

/** An idle container of the pool: a first request, which is served by a new container, makes the pool start it. */
async function waiting(): Promise<FakeContainer> {
  await source.acquire(execution, never)
  await expect.poll(() => pool.waiting.length).toBe(1)
  const [made] = maker.idle
  if (made === undefined) throw new Error('nothing waits')
  return made
}

it('PooledContainers returns an idle container, assigns it, and counts a hit', async () => {
  const made = await waiting()
  expect(await source.acquire(execution, never)).toBe(made)
  expect(made).toMatchObject({ origin: 'pool', assigned: [{ id: 'j-test', attempt: 1 }], changes: [] })
  expect(outcomes).toEqual(['miss', 'hit'])
})

it('PooledContainers changes differing limits before it returns a container', async () => {
  const made = await waiting()
  const asked = script('true', { limits: limits({ memoryMb: 32, cpus: 0.2, openFiles: 20 }) })
  expect(await source.acquire(asked, never)).toBe(made)
  expect(made.changes).toEqual([{ memoryMb: 32, cpus: 0.2, processes: 100 }])
})

it('PooledContainers replaces a container whose limits could not be changed', async () => {
  const made = await waiting()
  made.onChange = () => {
    throw new Error('the engine refused update')
  }
  const asked = script('true', { limits: limits({ memoryMb: 32 }) })
  expect(await source.acquire(asked, never)).toMatchObject({ origin: 'made' })
  expect(made.destroyed).toBe(true)
})

it('PooledContainers destroys a container whose execution is aborted during the change', async () => {
  const made = await waiting()
  const abort = new AbortController()
  made.onChange = () => abort.abort(new Error('enough'))
  const asked = script('true', { limits: limits({ memoryMb: 32 }) })
  await expect(source.acquire(asked, abort.signal)).rejects.toThrow('enough')
  expect(made.destroyed).toBe(true)
})

it('PooledContainers destroys a container that was used', async () => {
  const made = await waiting()
  source.release(await source.acquire(execution, never))
  expect(made.destroyed).toBe(true)
  expect(pool.waiting).not.toContain(made.kind)
})
