import { encodeRestore, WIRE } from '@isopod/init'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kindOf } from '../../src/acquire/container-source.ts'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import { describeDriver } from '../support/driver-contract.ts'
import { SHELL, script } from '../support/execution.ts'
import { isRoot, processHost } from '../support/process-host.ts'

// promise: process-driver
if (isRoot) describe('on this host', onThisHost)
else it('the process driver', (context) => context.skip('only root has cgroups and users to give away'))

function onThisHost(): void {
  const open = processHost()

  describeDriver('process', open)

  it('holds against every attack of the self-test', async () => {
    const driver = await open('self-test')
    const sandbox = new ContainerSandbox(driver, { deployment: `contract-${process.pid}` })
    onTestFinished(async () => {
      await sandbox.close()
      await driver.close()
    })
    const { findings } = await sandbox.selfTest(SHELL.image)
    expect(findings.length).toBeGreaterThan(10)
    expect(findings.filter(({ verdict }) => verdict !== 'held')).toEqual([])
  })

  it('returns the fault that ends init, also if the worker writes before it reads', async () => {
    const driver = await open('last-words')
    onTestFinished(() => driver.close())
    const kind = kindOf(script(''))
    const deadline = Date.now() + 600_000
    const purpose = { name: '', origin: 'made', job: 'j', attempt: 1, deadline } as const
    const container = await driver.make(kind, purpose, AbortSignal.timeout(60_000))
    onTestFinished(() => container.destroy())
    container.send(Uint8Array.of(WIRE.putFile, 0, 0, 0, 0))
    container.send(new Uint8Array(50_000))
    // Nothing of what init sends is read in this time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    container.send(encodeRestore())
    expect(await container.receive()).toMatchObject({ type: 'fault', fault: { where: 'frame' } })
    expect(await container.receive()).toBeUndefined()
  })
}
