import { randomUUID } from 'node:crypto'
import { TerminalError } from '@isopod/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import { InitContainer } from '../../src/driver/init-container.ts'
import type { SandboxEvent } from '../../src/driver/sandbox-events.ts'
import type { Sandbox } from '../../src/sandbox.ts'
import { limits, script } from '../support/execution.ts'
import { containersOf, endContainers, expectNoRecords, openTestDriver } from '../support/open-driver.ts'

expectNoRecords()

const deployment = `pool-test-${process.pid}`
const events: SandboxEvent[] = []
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await open('w1')
})

afterAll(async () => {
  await sandbox.close()
  expect(await containersOf(deployment)).toEqual([])
})

afterEach(() => {
  events.length = 0
})

async function open(owner: string, size = 2): Promise<Sandbox> {
  const observe = (event: SandboxEvent) => events.push(event)
  const driver = await openTestDriver({ deployment, owner, observe })
  const pool = { size, refills: 1, idleMs: 60_000, memoryMb: 256 }
  return new ContainerSandbox(driver, { deployment, pool, observe })
}

function run(code: string, changes: Partial<Execution> = {}, of = sandbox): Promise<Outcome> {
  return of.run(script(code, { id: `j-${randomUUID()}`, ...changes }))
}

const waiting = (of: Sandbox) => [...of.counts().waiting.values()].reduce((sum, each) => sum + each, 0)

/** Runs executions until the pool has as many idle containers. */
async function filled(count: number, of = sandbox): Promise<void> {
  for (let times = 0; times < count && waiting(of) < count; times++) await run('true', {}, of)
  await expect.poll(() => waiting(of), { timeout: scaled(20_000) }).toBeGreaterThanOrEqual(count)
}

const text = (outcome: Outcome) => Buffer.from(outcome.stdout.bytes).toString()

describe('a job for whose kind the pool has a container', () => {
  it('gets an unused container, which is removed afterwards', async () => {
    await filled(1)
    const first = await run('id -u; ls -A /tmp /dev/shm /workspace; touch /tmp/x; cat /proc/[0-9]*/comm')
    expect(first.container.origin).toBe('pool')
    expect(text(first)).toMatch(
      /^60\d{3}\n\/dev\/shm:\n\n\/tmp:\n\n\/workspace:\nmain.sh\ninit\nsh\n(cat\n)?$/,
    )
    await filled(1)
    const second = await run('ls -A /tmp')
    expect(second.container).toMatchObject({ origin: 'pool' })
    expect(second.container.id).not.toBe(first.container.id)
    expect(text(second)).toBe('')
    const left = async () => (await containersOf(deployment)).map(({ id }) => id)
    await expect.poll(left, { timeout: scaled(10_000) }).not.toContain(first.container.id)
  })

  it('appears in the events of its container from then on', async () => {
    await filled(1)
    const { container } = await run('true', { id: 'observed', attempt: 3 })
    const observed = () => events.filter((event) => 'container' in event && event.container === container.id)
    await expect
      .poll(observed, { timeout: scaled(10_000) })
      .toContainEqual(expect.objectContaining({ type: 'container_removed' }))
    const subject = { container: container.id, job: 'observed', attempt: 3 }
    expect(observed().filter(({ type }) => type !== 'container_created')).toEqual([
      { type: 'container_assigned', ...subject },
      { type: 'container_removed', ...subject },
    ])
  })

  it('gets its own limits of memory, CPUs and processes before its program starts', async () => {
    for (const changes of [
      { memoryMb: 32, cpus: 0.2, processes: 7 },
      { memoryMb: 16, cpus: 0.1, processes: 1 },
      { memoryMb: 1024, cpus: 1, processes: 512 },
      { memoryMb: 100 },
      { cpus: 0.75 },
      { processes: 3 },
      { openFiles: 20 },
    ]) {
      await filled(1)
      const asked = limits(changes)
      const outcome = await run('ulimit -n', { limits: asked })
      const { memoryMb, cpus, processes, openFiles } = asked
      expect(outcome).toMatchObject({
        status: 'success',
        container: { origin: 'pool' },
        limitsApplied: {
          memoryMb,
          memorySwapMb: memoryMb,
          processes,
          openFiles,
          cpus: expect.closeTo(cpus, 3),
        },
      })
      expect(text(outcome)).toBe(`${openFiles}\n`)
    }
  })

  it('is held to the changed limits, not to those of the container’s creation', async () => {
    await filled(1)
    const grow = 'a=xxxxxxxxxxxxxxxx; while :; do a=$a$a; done'
    const outcome = await run(grow, { limits: limits({ memoryMb: 32, timeoutSeconds: 20 }) })
    expect(outcome).toMatchObject({ status: 'memory_exceeded', container: { origin: 'pool' } })
    expect(outcome.memoryPeakBytes).toBeLessThanOrEqual(33 * 1024 * 1024)
  })

  it('gets a new container if its disk or open files differ', async () => {
    // A pool of its own, which learns to make such containers.
    const own = await open('differing')
    for (const changes of [{ diskMb: 8 }, { diskMb: 128 }, { openFiles: 300 }]) {
      await filled(1, own)
      const outcome = await run('true', { limits: limits(changes) }, own)
      expect(outcome).toMatchObject({
        status: 'success',
        container: { origin: 'made' },
        limitsApplied: changes,
      })
    }
    await own.close()
  })

  it.each(['kill', 'remove'] as const)('never gets a container that was ended: %s', async (how) => {
    await filled(2)
    const idle = (await containersOf(deployment, 'w1')).filter(({ inPool }) => inPool)
    await endContainers(
      idle.map(({ id }) => id),
      how,
    )
    expect(await run('echo whole').then(text)).toBe('whole\n')
  })

  it('counts as a hit, and as a miss if the pool has none', async () => {
    const own = await open('counting')
    await filled(1, own)
    events.length = 0
    await run('true', {}, own)
    await run('true', { limits: limits({ diskMb: 9 }) }, own)
    await own.close()
    expect(events.filter(({ type }) => type === 'pool')).toMatchObject([
      { outcome: 'hit' },
      { outcome: 'miss' },
    ])
  })
})

it('a container whose limits were not changed as requested runs no program', async () => {
  await filled(1)
  const change = InitContainer.prototype.changeLimits
  // Like an engine that reports success without changing the limits.
  InitContainer.prototype.changeLimits = async function () {
    await this.readConfinement()
  }
  try {
    const asked = run('echo it ran', { limits: limits({ memoryMb: 32 }) })
    await expect(asked).rejects.toThrow(/memoryMb is 256, wanted 32/)
    await expect(asked).rejects.toBeInstanceOf(TerminalError)
  } finally {
    InitContainer.prototype.changeLimits = change
  }
})

it('a container whose limits cannot be changed is replaced by a new one', async () => {
  await filled(1)
  const change = InitContainer.prototype.changeLimits
  InitContainer.prototype.changeLimits = () => Promise.reject(new Error('no'))
  try {
    const outcome = await run('true', { limits: limits({ memoryMb: 32 }) })
    expect(outcome).toMatchObject({
      status: 'success',
      container: { origin: 'made' },
      limitsApplied: { memoryMb: 32 },
    })
  } finally {
    InitContainer.prototype.changeLimits = change
  }
})

describe('a closed sandbox', () => {
  it('removes all containers that are idle or being made, also if it is closed twice', async () => {
    const other = await open('w2', 4)
    await Promise.all([run('true', {}, other), run('true', {}, other), run('true', {}, other)])
    await expect
      .poll(() => containersOf(deployment, 'w2'))
      .toContainEqual(expect.objectContaining({ inPool: true }))
    const late = run('true', {}, other).catch(() => {})
    await Promise.all([other.close(), other.close(), late])
    expect(await containersOf(deployment, 'w2')).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await containersOf(deployment, 'w2')).toEqual([])
  })
})
