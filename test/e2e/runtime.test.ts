import { afterAll, beforeAll, expect, it } from 'vitest'
import { DRIVER, RESULT_RUNTIME, RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(async () => {
  await world?.close()
})

it('a result names the runtime of the program, and the program runs on that runtime’s kernel', async () => {
  const result = await world.client.run({ language: 'bash', code: 'cat /proc/version' })
  expect(result).toMatchObject({ status: 'success', runtime: RESULT_RUNTIME })
  const gvisor = /^Linux version 4\.4\.0 #1 SMP Sun Jan 10 15:06:54 PST 2016/
  expect(gvisor.test(result.stdout)).toBe(RUNTIME === 'runsc')
})

it('a job that asks for less isolation, or for a runtime that the worker does not have, is refused', async () => {
  const job = { language: 'bash', code: 'true', runtime: RUNTIME === 'runsc' ? 'runc' : 'crun' } as const
  const result = await world.client.run(job)
  expect(result).toMatchObject({ status: 'validation_error', attributable: true, runtime: null })
  expect(result.errorMessage).toMatch(
    DRIVER === 'process'
      ? /^runtime: "crun" is not available; this worker offers isopod-spawner/
      : /^runtime: "runc" isolates less than "gvisor"|^runtime: "crun" is not available; this worker offers .*runc/,
  )
})
