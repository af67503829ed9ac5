import type { JobInput } from '@isopod/client'
import {
  ApplicationFailure,
  asyncLocalStorage,
  CancelledFailure,
  Context,
  type Info,
} from '@temporalio/activity'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActivities } from '../../examples/temporal-activity.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world?.close())

/** Runs one attempt of the activity in a context of Temporal's SDK, without a Temporal server. */
function attempt(job: JobInput, info: Partial<Info> = {}) {
  const heartbeats: unknown[] = []
  const cancellation = new AbortController()
  const cancelled = new Promise<never>((_, reject) => {
    cancellation.signal.addEventListener('abort', () => reject(cancellation.signal.reason))
  })
  cancelled.catch(() => {})
  const context = new Context(
    { heartbeatTimeoutMs: 300, heartbeatDetails: undefined, ...info } as Info,
    cancelled,
    cancellation.signal,
    (details) => heartbeats.push(details),
    ...([undefined, console, undefined, {}] as never as [never, never, never, never]),
  )
  const { runProgram } = createActivities(world.client)
  const ended = asyncLocalStorage.run(context, () => runProgram(job))
  ended.catch(() => {})
  return { ended, heartbeats, cancel: () => cancellation.abort(new CancelledFailure('CANCELLED')) }
}

const ENDLESS: JobInput = { language: 'bash', code: 'sleep 60', limits: { timeoutSeconds: 60 } }

// promise: examples
it('an activity runs a program, and a program that fails is a result', async () => {
  expect(await attempt({ code: 'print(6 * 7)' }).ended).toMatchObject({ status: 'success', stdout: '42\n' })
  expect(await attempt({ code: '1 / 0' }).ended).toMatchObject({ status: 'execution_error', exitCode: 1 })
})

// promise: examples
it('an activity sends heartbeats with the execution’s id while the program runs, and none after its end', async () => {
  const { ended, heartbeats } = attempt({ language: 'bash', code: 'sleep 0.5' })
  const { id } = await ended
  const sent = heartbeats.length
  expect(sent).toBeGreaterThanOrEqual(3)
  expect(new Set(heartbeats.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ executionId: id })]),
  )
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(heartbeats).toHaveLength(sent)
})

// promise: examples
it('a cancelled activity ends its program', async () => {
  const { ended, heartbeats, cancel } = attempt(ENDLESS)
  const [first] = await eventually(
    async () => heartbeats,
    ({ length }) => length > 0,
  )
  const { executionId } = first as { executionId: string }
  await eventually(
    () => world.client.state(executionId),
    (state) => state === 'running',
  )
  cancel()
  await expect(ended).rejects.toThrow(CancelledFailure)
  expect(await world.client.wait(executionId)).toMatchObject({ status: 'cancelled' })
})

// promise: examples
it('a second attempt of an activity resumes the execution of the first, if there is one', async () => {
  const executionId = await world.client.submit({ code: 'print("first")' })
  const job: JobInput = { code: 'print("second")' }
  const again = attempt(job, { heartbeatDetails: { executionId } })
  expect(await again.ended).toMatchObject({ id: executionId, stdout: 'first\n' })
  const lost = attempt(job, { heartbeatDetails: { executionId: 'j-gone' } })
  expect(await lost.ended).toMatchObject({ stdout: 'second\n' })
  // A cancelled execution has no outcome of the program, so it is not resumed.
  const cancelled = await world.client.submit(ENDLESS)
  await world.client.cancel(cancelled)
  await world.client.wait(cancelled)
  const retried = attempt(job, { heartbeatDetails: { executionId: cancelled } })
  expect(await retried.ended).toMatchObject({ stdout: 'second\n' })
})

// promise: examples
it('an activity does not retry an invalid job', async () => {
  const { ended, heartbeats } = attempt({ code: '' })
  await expect(ended).rejects.toThrow(ApplicationFailure)
  await expect(ended).rejects.toMatchObject({ nonRetryable: true, message: expect.stringContaining('Code') })
  expect(heartbeats).toEqual([])
})
