import { connect, UnavailableError } from '@isopod/client'
import { expect, inject, it } from 'vitest'
import { workerWith } from '../support/ended-worker.ts'

const NOWHERE = 'redis://127.0.0.1:1'

// promise: clear-errors
it('a worker without Redis says so in one sentence within 5 s', async () => {
  const { code, output, ms } = await workerWith({ REDIS_URL: NOWHERE })
  expect(code).toBe(1)
  expect(output).toMatch(/127\.0\.0\.1:1/)
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(ms).toBeLessThan(7_000)
})

it('a worker without an engine says so in one sentence within 5 s', async () => {
  const { redisUrl } = inject('stack')
  const { code, output, ms } = await workerWith({
    REDIS_URL: redisUrl,
    DOCKER_HOST: 'unix:///nowhere/docker.sock',
  })
  expect(code).toBe(1)
  expect(output).toContain('No Docker engine answers at unix:///nowhere/docker.sock')
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(ms).toBeLessThan(7_000)
})

it('a producer without Redis gets an error within 5 s', async () => {
  const started = performance.now()
  await expect(connect({ url: NOWHERE })).rejects.toThrow(UnavailableError)
  expect(performance.now() - started).toBeLessThan(6_000)
})

it('a misspelt setting stops the worker, with the name that was meant', async () => {
  const { code, output } = await workerWith({ SANDBOX_PIDS_LIMIT: '10' })
  expect(code).toBe(1)
  expect(output).toContain('SANDBOX_PIDS_LIMIT: unknown setting; did you mean SANDBOX_PID_LIMIT?')
})

it('a setting out of range stops the worker', async () => {
  const { code, output } = await workerWith({ SANDBOX_DEFAULT_MEMORY_LIMIT_MB: '0' })
  expect(code).toBe(1)
  expect(output).toContain('SANDBOX_DEFAULT_MEMORY_LIMIT_MB: must be a whole number from 16 to 1024, got "0"')
})
