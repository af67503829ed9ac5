import { connect, UnavailableError } from '@isopod/client'
import { expect, inject, it } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { runWorkerToExit } from '../support/ended-worker.ts'

const NOWHERE = 'redis://127.0.0.1:1'

// promise: clear-errors
it('a worker without Redis reports it in one sentence and exits', async () => {
  const { code, output } = await runWorkerToExit({ REDIS_URL: NOWHERE })
  expect(code).toBe(1)
  expect(output).toMatch(/127\.0\.0\.1:1/)
  expect(output.trim().split('\n')).toHaveLength(1)
})

it('a worker without an engine reports it in one sentence and exits', async (context) => {
  skipUnlessDocker(context, 'engine')

  const { redisUrl } = inject('stack')
  const { code, output } = await runWorkerToExit({
    REDIS_URL: redisUrl,
    DOCKER_HOST: 'unix:///nowhere/docker.sock',
  })
  expect(code).toBe(1)
  expect(output).toContain('No Docker engine answers at unix:///nowhere/docker.sock')
  expect(output.trim().split('\n')).toHaveLength(1)
})

it('a producer without Redis gets an error', async () => {
  await expect(connect({ url: NOWHERE })).rejects.toThrow(UnavailableError)
})

it('a misspelt setting stops the worker, and the error suggests the right name', async () => {
  const { code, output } = await runWorkerToExit({ SANDBOX_PIDS_LIMIT: '10' })
  expect(code).toBe(1)
  expect(output).toContain('SANDBOX_PIDS_LIMIT: unknown setting; did you mean SANDBOX_PID_LIMIT?')
})

it('a setting out of range stops the worker', async () => {
  const { code, output } = await runWorkerToExit({ SANDBOX_DEFAULT_MEMORY_LIMIT_MB: '0' })
  expect(code).toBe(1)
  expect(output).toContain('SANDBOX_DEFAULT_MEMORY_LIMIT_MB: must be a whole number from 16 to 1024, got "0"')
})
