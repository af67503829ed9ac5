import { expect, it } from 'vitest'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { ProbeFinding } from '../../src/self-test/finding.ts'
import { SimulatedDriver } from '../../src/simulated/simulated-driver.ts'
import { describeDriver } from '../support/driver-contract.ts'
import { script } from '../support/execution.ts'

describeDriver(
  'simulated',
  async (owner, observe) =>
    new SimulatedDriver({ owner, observe, hasImage: (reference) => reference !== 'absent:1' }),
)

function openSimulated(): ContainerSandbox {
  return new ContainerSandbox(new SimulatedDriver({ owner: 'w' }), { deployment: 'simulated' })
}

it('the simulated driver shares a container only among executions of one batch', async () => {
  const sandbox = openSimulated()
  const origins = async (execution: Execution) => {
    const outcomes = [await sandbox.run(execution), await sandbox.run(execution)]
    return outcomes.map(({ container }) => container.origin)
  }
  expect(await origins(script('true'))).toEqual(['made', 'made'])
  expect(await origins({ ...script('true'), sharedBy: 'batch' })).toEqual(['made', 'batch'])
  await sandbox.close()
})

it('the simulated driver, which confines nothing, does not pass the self-test', async () => {
  const sandbox = openSimulated()
  const failed = Promise.withResolvers<ProbeFinding>()
  const stop = new AbortController()
  const onFinding = (finding: ProbeFinding) => {
    if (finding.verdict === 'succeeded') failed.resolve(finding)
  }
  const test = sandbox.selfTest('any', { onFinding, signal: stop.signal })
  expect((await failed.promise).detail).not.toBe('')
  stop.abort(new Error('seen enough'))
  await expect(test).rejects.toThrow('seen enough')
  await sandbox.close()
})
