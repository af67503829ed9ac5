import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { ExecutionLimits, executeCode, executeWithLimits, ResourceMonitor } from '../src/index.ts'
import { echo, useBench } from './harness.ts'

const bench = useBench()

describe('ExecutionLimits', () => {
  it('has the defaults of the API document', () => {
    expect(new ExecutionLimits()).toEqual({
      timeLimit: 30,
      memoryLimit: 256,
      cpuLimit: 0.5,
      maxOutputChars: 100_000,
    })
  })

  it.each([
    [{ timeLimit: 0 }, /^timeLimit: must be a whole number from 1 to 300, got 0$/],
    [{ memoryLimit: 1.5 }, /^memoryLimit: must be a whole number/],
    [{ cpuLimit: Number.NaN }, /^cpuLimit: must be a number/],
    [{ maxOutputChars: -1 }, /^maxOutputChars/],
  ])('refuses %j', (options, sentence) => {
    expect(() => new ExecutionLimits(options)).toThrow(ConfigError)
    expect(() => new ExecutionLimits(options)).toThrow(sentence)
  })
})

describe('a job that is refused', () => {
  it.each([
    ['python', '', {}, /^Code cannot be empty$/],
    ['python', 'x', { timeout: 301 }, /^timeout: must be a whole number from 1 to 300, got 301$/],
    ['python', 'x', { sessionId: 's' }, /sessions are not available/],
  ] as const)('ends in setup_error that says why (%s %j %j)', async (language, code, options, sentence) => {
    const client = await bench.client()
    expect(await executeCode(language, code, { ...options, client })).toEqual({
      stdout: '',
      stderr: '',
      exit_code: -1,
      execution_time: 0,
      status: 'setup_error',
      error_message: expect.stringMatching(sentence),
    })
  })

  it('reports the requested limits', async () => {
    const client = await bench.client()
    const limits = new ExecutionLimits({ timeLimit: 5, cpuLimit: 1 })
    expect(await executeWithLimits('python', '', limits, { client })).toMatchObject({
      resource_usage: { cpu_samples: 0 },
      limits_applied: {
        time_limit_seconds: 5,
        memory_limit_mb: 256,
        cpu_limit_cores: 1,
        max_output_chars: 100_000,
      },
    })
  })
})

it('output is cut by characters, not bytes', async () => {
  const client = await bench.client()
  await bench.worker(echo)
  const limits = new ExecutionLimits({ maxOutputChars: 3 })
  const { stdout } = await executeWithLimits('python', '😀é😀é', limits, { client })
  expect(stdout).toBe('😀é😀')
})

it('ResourceMonitor measures its own process since the start', () => {
  const monitor = new ResourceMonitor()
  expect(() => monitor.updateMonitoring()).toThrow(/startMonitoring/)
  monitor.startMonitoring()
  const until = performance.now() + 50
  while (performance.now() < until);
  monitor.updateMonitoring()
  const usage = monitor.getResourceUsage()
  expect(usage.execution_time_seconds).toBeGreaterThanOrEqual(0.05)
  expect(usage.memory_peak_mb).toBeGreaterThanOrEqual(usage.memory_start_mb)
  expect(usage.cpu_samples).toBe(2)
  expect(usage.cpu_peak_percent).toBeGreaterThanOrEqual(usage.cpu_average_percent)
})
