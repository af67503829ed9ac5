import { DEFAULT_LIMITS, documentedStatus, type JobInput, type Result, STATUSES } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { sampleResult } from '../../../test/support/samples.ts'
import { Calls } from '../src/calls.ts'
import { LazyConnection, type ToolClient } from '../src/tool-client.ts'
import { executeCodeTool } from '../src/tools/execute-code.ts'
import { gradeCodeTool } from '../src/tools/grade-code.ts'

const OPTIONS = { tenant: 'models', waitSeconds: 5 }

function resultOf(changes: Partial<Result>): Result {
  const nothing = { stdout: '', outputBytes: { stdout: 0, stderr: 0 }, memoryPeakBytes: 0 }
  const limitsApplied = { ...DEFAULT_LIMITS, memorySwapMb: 256 }
  return sampleResult({
    ...nothing,
    wallMs: 1234.5,
    cpuUserMs: 0,
    cpuSysMs: 0,
    limitsApplied,
    tenant: 'models',
    ...changes,
  })
}

/** A client whose every job ends with this result. */
function queueWith(result: Partial<Result>) {
  const jobs: JobInput[] = []
  const client: ToolClient = {
    submit: async (job) => `j-${jobs.push(job)}`,
    wait: async () => resultOf(result),
    state: async () => 'running',
    cancel: async () => 'requested',
    languages: async () => undefined,
  }
  return { jobs, context: { client: async () => client, signal: new AbortController().signal } }
}

describe('execute_code', () => {
  const call = { language: 'python', code: 'print(1)' }

  it.each(STATUSES)('maps the status %s to one of the four of the tool', async (status) => {
    const errorMessage = status === 'success' ? null : 'why'
    const { context } = queueWith({ status, errorMessage, exitCode: status === 'success' ? 0 : null })
    const { structuredContent, isError, _meta } = await executeCodeTool(OPTIONS).call(call, context)
    expect(structuredContent).toEqual({
      stdout: '',
      stderr: '',
      exit_code: status === 'success' ? 0 : -1,
      execution_time: 1.2345,
      status: documentedStatus({ status, attributable: true }),
      error_message: errorMessage,
    })
    expect(isError).toBe(documentedStatus({ status, attributable: true }) === 'setup_error')
    expect(_meta).toEqual({ 'isopod/job': 'j-1', 'isopod/status': status })
  })

  it('enqueues a job of the server’s tenant whose result goes to no results queue', async () => {
    const { jobs, context } = queueWith({})
    await executeCodeTool(OPTIONS).call({ ...call, timeout: 7 }, context)
    expect(jobs).toEqual([{ ...call, limits: { timeoutSeconds: 7 }, tenant: 'models', replyTo: 'none' }])
  })

  it('reports truncated streams and the policy’s warnings', async () => {
    const truncated = { stdout: true, stderr: false }
    const { context } = queueWith({ truncated, warnings: ['imports socket'] })
    const { content } = await executeCodeTool(OPTIONS).call(call, context)
    expect(content.slice(1)).toEqual([
      { type: 'text', text: 'stdout was cut after 102400 bytes' },
      { type: 'text', text: 'imports socket' },
    ])
  })

  it('cancels the job and fails if the result does not arrive within waitSeconds', async () => {
    const cancelled: string[] = []
    const { context } = queueWith({})
    const client: ToolClient = {
      ...(await context.client()),
      wait: (_, { signal } = {}) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      cancel: async (id) => {
        cancelled.push(id)
        return 'requested'
      },
    }
    const calling = executeCodeTool({ ...OPTIONS, waitSeconds: 0.05 }).call(call, {
      ...context,
      client: async () => client,
    })
    await expect(calling).rejects.toThrow('No result within 0.05 s: the job had not ended')
    expect(cancelled).toEqual(['j-1'])
  })
})

describe('grade_code', () => {
  it('refuses too many tests without validating each of them', async () => {
    const { jobs, context } = queueWith({})
    const tests = Array.from({ length: 1001 }, () => 7)
    const calling = gradeCodeTool(OPTIONS).call({ language: 'python', code: 'x', tests }, context)
    await expect(calling).rejects.toThrow(/^tests: must be at most 1000 tests, got a list of 1001$/)
    expect(jobs).toEqual([])
  })

  it('passes the tests on unchanged', async () => {
    const { jobs, context } = queueWith({})
    const tests = [{ stdin: '1', expected: '1', checker: { type: 'numbers', absolute: 0.1 }, weight: 2 }]
    await gradeCodeTool(OPTIONS).call({ language: 'python', code: 'x', tests }, context)
    expect(jobs).toMatchObject([{ tests, stopOnFirstFailure: false, limits: { timeoutSeconds: 30 } }])
  })
})

describe('LazyConnection', () => {
  it('reconnects after a failure, and opens one connection for concurrent callers', async () => {
    let opened = 0
    const connection = new LazyConnection(async () => {
      if (++opened === 1) throw new Error('not yet')
      return { close: async () => {} } as never
    })
    await expect(connection.client()).rejects.toThrow('not yet')
    const [one, other] = await Promise.all([connection.client(), connection.client()])
    expect(one).toBe(other)
    expect(opened).toBe(2)
  })
})

describe('Calls', () => {
  it('refuses a call above the maximum, and accepts one again when another has ended', async () => {
    const calls = new Calls(1)
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = calls.run(() => promise)
    await expect(calls.run(async () => 1)).rejects.toThrow(
      'Too many calls at once: this server runs at most 1',
    )
    resolve()
    await first
    expect(await calls.run(async () => 2)).toBe(2)
  })
})
