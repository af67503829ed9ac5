import {
  checkDockerAvailable,
  ExecutionLimits,
  executeCode,
  executeWithLimits,
  sandboxProcessIsolation,
} from '@isopod/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DRIVER } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world?.close())

// promise: api-typescript
it('executeCode answers with the fields of the API document', async () => {
  const { client } = world
  expect(await executeCode('python', 'print("Hello, World!")', { client })).toEqual({
    stdout: 'Hello, World!\n',
    stderr: '',
    exit_code: 0,
    execution_time: expect.any(Number),
    status: 'success',
    error_message: null,
  })
  const slow = await executeCode('bash', 'echo partial; sleep 9', { timeout: 3, client })
  expect(slow).toMatchObject({ stdout: 'partial\n', exit_code: -1, status: 'timeout' })
  expect(slow.error_message).toMatch(/3 s/)
  const input = await executeCode('bash', 'read name; echo "$name"; exit 3', { stdin: 'Alice\n', client })
  expect(input).toMatchObject({ stdout: 'Alice\n', exit_code: 3, status: 'execution_error' })
})

it('executeWithLimits reports usage and limits, and sandboxProcessIsolation reports the isolation', async () => {
  const { client } = world
  const limits = new ExecutionLimits({ timeLimit: 5, memoryLimit: 128, maxOutputChars: 10 })
  const limited = await executeWithLimits('python', 'print("x" * 50)', limits, { client })
  expect(limited).toMatchObject({
    stdout: 'x'.repeat(10),
    limits_applied: {
      time_limit_seconds: 5,
      memory_limit_mb: 128,
      cpu_limit_cores: 0.5,
      max_output_chars: 10,
    },
  })
  expect(limited.resource_usage.memory_peak_mb).toBeGreaterThan(1)
  const isolated = await sandboxProcessIsolation('bash', 'echo hi', new ExecutionLimits(), { client })
  expect(isolated.isolation).toMatchObject({
    isolated: true,
    method: DRIVER === 'process' ? 'process' : 'container',
    fresh: true,
    network: false,
  })
})

it('checkDockerAvailable is true where a worker makes containers', async () => {
  expect(await checkDockerAvailable({ client: world.client })).toBe(true)
})
