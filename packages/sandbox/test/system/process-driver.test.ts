import { describe, expect, it, onTestFinished } from 'vitest'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import { describeDriver } from '../support/driver-contract.ts'
import { SHELL } from '../support/execution.ts'
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
}
