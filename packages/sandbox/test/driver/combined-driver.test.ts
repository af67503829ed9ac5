import { describe, expect, it } from 'vitest'
import { kindOf } from '../../src/acquire/container-source.ts'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import { CombinedDriver } from '../../src/driver/combined-driver.ts'
import type { Driver } from '../../src/driver/driver.ts'
import { ImageMissingError } from '../../src/driver/faults.ts'
import { SimulatedDriver } from '../../src/simulated/simulated-driver.ts'
import { describeDriver } from '../support/driver-contract.ts'
import { SHELL, script } from '../support/execution.ts'

const hasImage = (reference: string) => reference !== 'absent:1'

/** A driver with some parts replaced. */
function changed(driver: Driver, parts: Partial<Driver>): Driver {
  const { facts, images, removing } = driver
  return {
    ...{ facts, images, removing },
    ping: () => driver.ping(),
    make: (...asked) => driver.make(...asked),
    reap: (alive) => driver.reap(alive),
    close: () => driver.close(),
    ...parts,
  }
}

function pair(second: { hasImage?: (reference: string) => boolean } = {}) {
  return [
    new SimulatedDriver({ owner: 'w', hasImage }),
    new SimulatedDriver({ owner: 'w', runtime: 'isopod-spawner', hasImage, ...second }),
  ] as const
}

describeDriver('combined', async (owner, observe) => {
  return new CombinedDriver(
    new SimulatedDriver({ owner, observe, hasImage }),
    new SimulatedDriver({ owner, observe, hasImage, runtime: 'isopod-spawner' }),
  )
})

// promise: isolation-choice
describe('two drivers as one', () => {
  it('have the runtimes of both, and the default of the first', () => {
    const [first, second] = pair()
    const { facts } = new CombinedDriver(
      first,
      changed(second, { facts: { ...second.facts, cpus: 1, users: 1 } }),
    )
    expect(facts).toMatchObject({
      runtimes: ['runc', 'isopod-spawner'],
      defaultRuntime: 'runc',
      cpus: 1,
      users: 1,
    })
    const other = first.facts.architecture === 'x64' ? 'arm64' : 'x64'
    const foreign = changed(second, { facts: { ...second.facts, architecture: other } })
    expect(() => new CombinedDriver(first, foreign)).toThrow(/another processor/)
  })

  it('look an image up where its containers are made', async () => {
    const { images } = new CombinedDriver(...pair({ hasImage: () => false }))
    expect(await images.digest(SHELL.image)).not.toBe('')
    expect(await images.digest(SHELL.image, 'runc')).not.toBe('')
    await expect(images.digest(SHELL.image, 'isopod-spawner')).rejects.toBeInstanceOf(ImageMissingError)
  })

  it('never give an execution a container of the other one, from the pool or a batch', async () => {
    const pool = { size: 4, refills: 2, idleMs: 60_000, memoryMb: 1024 }
    const sandbox = new ContainerSandbox(new CombinedDriver(...pair()), { deployment: 'd', pool })
    let count = 0
    for (const sharedBy of [undefined, undefined, 'batch', 'batch']) {
      for (const runtime of ['runc', 'isopod-spawner', undefined]) {
        const { container } = await sandbox.run(script('echo 1', { id: `j-${++count}`, runtime, sharedBy }))
        expect(container.runtime).toBe(runtime ?? 'runc')
      }
    }
    await sandbox.close()
  })

  it('are reaped and closed both, even if one of them fails', async () => {
    const [first, second] = pair()
    const broken = changed(first, { reap: async () => Promise.reject(new Error('the engine is gone')) })
    const purpose = {
      name: 'c',
      origin: 'made',
      job: 'j',
      attempt: 1,
      deadline: Date.now() + 60_000,
    } as const
    const alone = await second.make(kindOf(script('')), purpose, new AbortController().signal)
    const combined = new CombinedDriver(broken, second)
    await expect(combined.reap(async () => new Set())).rejects.toThrow('the engine is gone')
    expect(await alone.receive()).toBeUndefined()
    const closed: string[] = []
    const failing = changed(first, { close: async () => Promise.reject(new Error('no answer')) })
    const noting = changed(second, { close: async () => void closed.push('second') })
    await expect(new CombinedDriver(failing, noting).close()).rejects.toThrow('no answer')
    expect(closed).toEqual(['second'])
    const whole = new CombinedDriver(...pair())
    for (const runtime of ['runc', 'isopod-spawner']) {
      await whole.make(kindOf(script('', { runtime })), purpose, new AbortController().signal)
    }
    expect(await whole.reap(async () => new Set())).toBe(2)
  })

  it('count the removals of both, and answer only if both do', async () => {
    const [first, second] = pair()
    const busy = new CombinedDriver(changed(first, { removing: 2 }), changed(second, { removing: 3 }))
    expect(busy.removing).toBe(5)
    await busy.ping()
    const down = changed(first, { ping: async () => Promise.reject(new Error('no engine')) })
    await expect(new CombinedDriver(down, second).ping()).rejects.toThrow('no engine')
  })
})
