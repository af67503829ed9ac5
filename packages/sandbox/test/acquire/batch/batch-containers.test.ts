import { setTimeout as sleep } from 'node:timers/promises'
import type { Reset } from '@isopod/init'
import { limitNamesOf } from '@isopod/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BatchContainers, type BatchContainersOptions } from '../../../src/acquire/batch/batch-containers.ts'
import type { Execution } from '../../../src/contract/execution.ts'
import type { Container } from '../../../src/driver/container.ts'
import type { ResetOutcome } from '../../../src/driver/sandbox-events.ts'
import { limits, SHELL, script } from '../../support/execution.ts'
import { type ScriptedContainer, ScriptedSource } from '../../support/scripted-container.ts'

const { signal } = new AbortController()
const A_FRAME = new Uint8Array(1)
const DIRTY: Reset = { clean: false, reason: 'files' }

function batch(changes: Partial<Execution> = {}): Execution {
  return script('true', { sharedBy: '["t","b"]', ...changes })
}

function setUp(changes: Partial<BatchContainersOptions> = {}) {
  const source = new ScriptedSource()
  const resets: ResetOutcome[] = []
  const containers = new BatchContainers({
    source,
    digest: async () => source.digest,
    idle: { size: 4, idleMs: 60_000 },
    executions: 1000,
    onReset: (outcome) => resets.push(outcome),
    ...changes,
  })
  /** Runs a program in the container to its end. */
  async function use(container: Container): Promise<void> {
    container.send(A_FRAME)
    source.made.find(({ id }) => id === container.id)?.done()
    await container.receive()
  }
  /** Runs one execution from acquire to release; returns the id and the origin of its container. */
  async function run(execution: Execution): Promise<string> {
    const container = await containers.acquire(execution, signal)
    const used = `${container.id} ${container.origin}`
    await use(container)
    containers.release(container, execution)
    await sleep(0)
    return used
  }
  return { source, containers, resets, use, run, first: () => source.made[0] as ScriptedContainer }
}

it('a container of a batch is reused, and reports the origin batch', async () => {
  const { run, source, resets } = setUp()
  expect([await run(batch()), await run(batch()), await run(batch())]).toEqual([
    'c1 made',
    'c1 batch',
    'c1 batch',
  ])
  expect(source.made).toMatchObject([{ resets: 3, destroyed: false }])
  expect(resets).toEqual(['clean', 'clean', 'clean'])
})

it.each<[string, Partial<Execution>]>([
  ['another batch', { sharedBy: '["t","c"]' }],
  ['another tenant', { sharedBy: '["u","b"]' }],
  ['another image', { language: { ...SHELL, image: 'other' } }],
  ['another runtime', { runtime: 'crun' }],
  ['another seccomp profile', { language: { ...SHELL, seccomp_profile: 'compute' } }],
  ['preload', { preload: true }],
  ...limitNamesOf('container', 'creation', 'process').map((name): [string, Partial<Execution>] => [
    `another limit ${name}`,
    { limits: limits({ [name]: 17 }) },
  ]),
])('an execution with %s never gets the batch’s container', async (_difference, changes) => {
  const { run } = setUp()
  await run(batch())
  expect(await run(batch(changes))).toBe('c2 made')
  expect(await run(batch())).toBe('c1 batch')
})

it('an execution gets the batch’s container if only limits of its run differ', async () => {
  const { run } = setUp()
  await run(batch())
  expect(await run(batch({ limits: limits({ timeoutSeconds: 1, outputBytes: 5, cpuSeconds: 1 }) }))).toBe(
    'c1 batch',
  )
})

it('a container of a replaced image is not reused', async () => {
  const { run, source } = setUp()
  await run(batch())
  source.digest = 'sha256:2'
  expect(await run(batch())).toBe('c2 made')
})

it('a container that init resets after the run is not asked for another reset', async () => {
  const { use, first, containers } = setUp()
  const container = await containers.acquire(batch(), signal)
  expect(container.resetAfterRun()).toBe(true)
  await use(container)
  containers.release(container, batch())
  expect(first()).toMatchObject({ resets: 1, resetsUnderWay: 1 })
  const again = await containers.acquire(batch(), signal)
  await use(again)
  containers.release(again, batch())
  expect(first()).toMatchObject({ resets: 2, resetsUnderWay: 1 })
})

it('a container under gVisor is never reused', async () => {
  const { run, source } = setUp()
  source.runtime = 'runsc'
  expect([await run(batch()), await run(batch())]).toEqual(['c1 made', 'c2 made'])
  expect(source.made).toMatchObject([{ destroyed: true, resets: 0 }, { destroyed: true }])
})

it.each<[string, (container: ScriptedContainer) => Promise<Reset>]>([
  ['does not leave it clean', async () => DIRTY],
  ['fails', () => Promise.reject(new Error('another frame'))],
  [
    'changes its confinement',
    async (container) => {
      container.ready = { ...container.ready, pidsMax: 2 }
      return { clean: true, reason: null }
    },
  ],
])('a container whose reset %s is destroyed', async (_what, answer) => {
  const { run, source, resets, containers, use, first } = setUp()
  const container = await containers.acquire(batch(), signal)
  await use(container)
  first().onReset = () => answer(first())
  containers.release(container, batch())
  await sleep(0)
  expect(await run(batch())).toBe('c2 made')
  expect(source.made).toMatchObject([{ destroyed: true }, { destroyed: false }])
  expect(resets).toEqual(['discarded', 'clean'])
})

it('a container whose reset hangs is destroyed', async () => {
  const { containers, use, first, resets } = setUp()
  const container = await containers.acquire(batch(), signal)
  await use(container)
  first().onReset = () => new Promise(() => {})
  containers.release(container, batch())
  const next = await containers.acquire(batch(), signal)
  expect([next.id, first().destroyed, resets]).toEqual(['c2', true, ['discarded']])
})

it.each(['a kill for memory', 'a fault of init'])(
  'a container after %s is destroyed without a reset',
  async (what) => {
    const { run, containers, first, resets } = setUp()
    const container = await containers.acquire(batch(), signal)
    container.send(A_FRAME)
    if (what === 'a fault of init') {
      first().frames.push({ type: 'fault', fault: { where: 'put', error: 'ENOSPC' } })
      await container.receive()
    }
    first().done({ oomKills: what === 'a kill for memory' ? 1 : 0 })
    await container.receive()
    containers.release(container, batch())
    await sleep(0)
    expect(await run(batch())).toBe('c2 made')
    expect(first()).toMatchObject({ destroyed: true, resets: 0 })
    expect(resets).toEqual(['discarded', 'clean'])
  },
)

it('an execution waits for a running reset; a second one gets a new container', async () => {
  const { containers, use, first } = setUp()
  const container = await containers.acquire(batch(), signal)
  await use(container)
  const { promise, resolve } = Promise.withResolvers<Reset>()
  first().onReset = () => promise
  containers.release(container, batch())
  const waits = containers.acquire(batch(), signal)
  await sleep(0)
  const other = await containers.acquire(batch(), signal)
  resolve({ clean: true, reason: null })
  expect([other.id, other.origin]).toEqual(['c2', 'made'])
  expect(await waits).toMatchObject({ id: 'c1', origin: 'batch' })
})

it('an execution that is aborted during the reset leaves the container to the next one', async () => {
  const { containers, use, first, run } = setUp()
  const container = await containers.acquire(batch(), signal)
  await use(container)
  const { promise, resolve } = Promise.withResolvers<Reset>()
  first().onReset = () => promise
  containers.release(container, batch())
  const ended = new AbortController()
  const waits = containers.acquire(batch(), ended.signal)
  await sleep(0)
  ended.abort(new Error('cancelled'))
  resolve({ clean: true, reason: null })
  await expect(waits).rejects.toThrow('cancelled')
  expect(await run(batch())).toBe('c1 batch')
})

it('a container that has served the maximum number of executions is not reused', async () => {
  const { run } = setUp({ executions: 2 })
  const used = [await run(batch()), await run(batch()), await run(batch())]
  expect(used).toEqual(['c1 made', 'c1 batch', 'c2 made'])
})

it('a container whose deadline would pass during the execution is not reused', async () => {
  const { run, source } = setUp()
  source.livesMs = 100_000
  await run(batch())
  expect(await run(batch())).toBe('c2 made')
})

it('a container that is idle for too long is destroyed', async () => {
  const { run, first, containers } = setUp({ idle: { size: 4, idleMs: 20 } })
  await run(batch())
  expect(containers.idle).toBe(1)
  await sleep(60)
  expect([first().destroyed, containers.idle]).toEqual([true, 0])
})

it('the container that has been idle longest is destroyed to make room for another', async () => {
  const { run, source, containers } = setUp({ idle: { size: 2, idleMs: 60_000 } })
  for (const name of ['a', 'b', 'c']) await run(batch({ sharedBy: name }))
  expect(source.made.map(({ destroyed }) => destroyed)).toEqual([true, false, false])
  expect(containers.idle).toBe(2)
})

it.each<[string, (container: ScriptedContainer) => void]>([
  ['ends', (container) => container.frames.end()],
  ['sends a frame', (container) => container.done()],
])('a container that %s while it is idle is not reused', async (_what, happen) => {
  const { run, first } = setUp()
  await run(batch())
  happen(first())
  await sleep(0)
  expect([await run(batch()), first().destroyed]).toEqual(['c2 made', true])
})

it('the first frame after an idle time reaches the next execution', async () => {
  const { run, containers, first } = setUp()
  await run(batch())
  const container = await containers.acquire(batch(), signal)
  first().done({ wallMs: 5 })
  expect(await container.receive()).toMatchObject({ type: 'done', done: { wallMs: 5 } })
})

it('after close no container is idle, and a released one is destroyed', async () => {
  const { run, containers, source } = setUp()
  const late = await containers.acquire(batch(), signal)
  await run(batch())
  containers.close()
  containers.close()
  containers.release(late, batch())
  await sleep(0)
  expect(source.made.map(({ destroyed }) => destroyed)).toEqual([true, true])
  expect(containers.idle).toBe(0)
})

type Step = 'acquire' | 'release' | 'destroy' | 'dirty' | 'die' | 'wait'

it('in any order of events no container serves two executions at once or two batches', async () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom<Step>('acquire', 'release', 'destroy', 'dirty', 'die', 'wait'),
      fc.constantFrom('a', 'b'),
      fc.nat(5),
    ),
    { maxLength: 60 },
  )
  const property = fc.asyncProperty(steps, async (sequence) => {
    const { containers, source, use } = setUp({ idle: { size: 2, idleMs: 60_000 }, executions: 5 })
    const owners = new Map<string, string>()
    const using: { container: Container; sharedBy: string }[] = []
    for (const [step, sharedBy, which] of sequence) {
      const [one] =
        step === 'release' || step === 'destroy' ? using.splice(which % (using.length || 1), 1) : []
      if (step === 'acquire') {
        const container = await containers.acquire(batch({ sharedBy }), signal)
        expect(using.map(({ container: { id } }) => id)).not.toContain(container.id)
        expect(owners.get(container.id) ?? sharedBy).toBe(sharedBy)
        expect(source.made.find(({ id }) => id === container.id)).toMatchObject({ destroyed: false })
        owners.set(container.id, sharedBy)
        using.push({ container, sharedBy })
      }
      // Some containers ran no program; they are reused without a reset.
      if (step === 'release' && one && which % 2 === 0) await Promise.race([use(one.container), sleep(0)])
      if (step === 'release' && one) containers.release(one.container, batch({ sharedBy: one.sharedBy }))
      if (step === 'destroy' && one) one.container.destroy()
      const idle = source.made.filter(({ id }) => !using.some(({ container }) => container.id === id))
      const chosen = idle[which % (idle.length || 1)]
      if (step === 'dirty' && chosen) chosen.onReset = async () => DIRTY
      if (step === 'die' && chosen) chosen.destroy()
      if (step === 'wait' || step === 'die') await sleep(0)
    }
    for (const { container } of using) container.destroy()
    containers.close()
    await sleep(0)
    expect(source.made.filter(({ destroyed }) => !destroyed)).toEqual([])
  })
  await fc.assert(property, { numRuns: 200 })
})
