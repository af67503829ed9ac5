import { RetryableError } from '@isopod/protocol'
import { expect, it } from 'vitest'
import { Engine } from '../../src/docker/engine/engine.ts'
import { DriverFullError, ImageFaultError } from '../../src/driver/faults.ts'
import { runProgram } from '../../src/program/run-program.ts'
import { sampleRun } from '../support/sample-run.ts'
import { ScriptedContainer } from '../support/scripted-container.ts'

/** The report or error of a run whose init answers with a fault. */
async function runWith(error: string, afterUserCode: boolean): Promise<unknown> {
  const facts = { id: 'c', imageDigest: 'sha256:1', runtime: 'runc', deadline: Date.now() + 60_000 }
  const container = new ScriptedContainer(facts)
  container.frames.push({ type: 'fault', fault: { where: 'confine', error } })
  const { signal } = new AbortController()
  return await runProgram(container, sampleRun(), { signal, afterUserCode }).catch(
    (thrown: unknown) => thrown,
  )
}

it.each([false, true])(
  'a host without room for another seccomp filter is not the program’s fault (after user code: %s)',
  async (after) => {
    const fault = await runWith('ENOTSUPP', after)
    expect(fault).toBeInstanceOf(RetryableError)
    expect(fault).not.toBeInstanceOf(ImageFaultError)
  },
)

it('a kernel without memory for a filter is the host’s fault, unless an earlier program may have caused it', async () => {
  expect(await runWith('ENOMEM', false)).toBeInstanceOf(RetryableError)
  expect(await runWith('ENOMEM', true)).toMatchObject({ done: undefined, lost: 'fault' })
})

it('a runtime that cannot load the seccomp profile is a retryable fault of the host', async () => {
  const message =
    'OCI runtime create failed: unable to init seccomp: error loading seccomp filter into kernel: errno 524'
  const refusal = Object.assign(new Error(message), { statusCode: 500, json: { message } })
  const engine = new Engine('unix:///nowhere')
  const fault = await engine.call('start', () => Promise.reject(refusal)).catch((thrown: unknown) => thrown)
  expect(fault).toBeInstanceOf(RetryableError)
  expect(fault).not.toBeInstanceOf(ImageFaultError)
})

it.each([
  'mkdir /var/lib/docker/overlay2/x-init: no space left on device',
  'failed to write the container: disk quota exceeded',
])('an engine that says «%s» has a full disk, and the error says what to do', async (message) => {
  const refusal = Object.assign(new Error(message), { statusCode: 500, json: { message } })
  const engine = new Engine('unix:///nowhere')
  const fault = await engine.call('create', () => Promise.reject(refusal)).catch((thrown: unknown) => thrown)
  expect(fault).toBeInstanceOf(DriverFullError)
  expect(String(fault)).toMatch(/the disk of the engine at .* is full; free space below its data root/)
  // Only the engine's own words count: the worker's disk may be another.
  const ours = await engine
    .call('create', () => Promise.reject(new Error(message)))
    .catch((thrown: unknown) => thrown)
  expect(ours).not.toBeInstanceOf(DriverFullError)
})
