import { type Result, STATUSES } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { sampleResult } from '../../../../test/support/samples.ts'
import { shippedCatalogue } from '../../../../test/support/shipped-catalogue.ts'
import { RequestRefused } from '../../src/http/problem.ts'
import { parseFields } from '../../src/routes/drop-in/field-errors.ts'
import { SANDBOXFUSION_LANGUAGES } from '../../src/routes/drop-in/sandboxfusion/languages.ts'
import { sandboxFusionRefusal } from '../../src/routes/drop-in/sandboxfusion/refusals.ts'
import { jobOfRunCode, runCodeSchema } from '../../src/routes/drop-in/sandboxfusion/run-code-job.ts'
import { runCodeResponse, runStatusOf } from '../../src/routes/drop-in/sandboxfusion/run-code-response.ts'

const read = (body: unknown) => jobOfRunCode(parseFields(runCodeSchema, body))

/** The status and body of the refusal that the caller receives. */
function refused(body: unknown): unknown {
  try {
    read(body)
  } catch (error) {
    if (error instanceof RequestRefused) return sandboxFusionRefusal(error)
    throw error
  }
  return 'taken'
}

const small = { code: 'print(1)', language: 'python' }

describe("SandboxFusion's languages", () => {
  it.each(Object.entries(SANDBOXFUSION_LANGUAGES))('%s is %s, which the catalogue has', async (_, name) => {
    expect((await shippedCatalogue()).languages.map((language) => language.name)).toContain(name)
  })
})

describe('a SandboxFusion request', () => {
  it('becomes a job with the defaults of SandboxFusion', () => {
    expect(read(small)).toEqual({
      language: 'python',
      code: 'print(1)',
      limits: { timeoutSeconds: 10, outputBytes: 1024 * 1024 },
    })
  })

  it('may have input, files and limits', () => {
    const body = {
      ...{ code: 'x', language: 'nodejs', stdin: 'in', run_timeout: 0.5, memory_limit_MB: 64 },
      ...{
        files: { 'a.txt': 'aGk=', 'none.txt': null },
        fetch_files: ['out.txt', 'out.txt'],
        compile_timeout: 5,
      },
    }
    expect(read(body)).toEqual({
      language: 'javascript',
      code: 'x',
      stdin: 'in',
      files: { 'a.txt': { content: 'aGk=', encoding: 'base64' } },
      fetchFiles: ['out.txt'],
      limits: { timeoutSeconds: 0.5, memoryMb: 64, outputBytes: 1024 * 1024 },
    })
  })

  it.each([
    [{ language: 'python' }, 'code', 'missing'],
    [{ code: 'x' }, 'language', 'missing'],
    [{ ...small, code: 7 }, 'code', 'value_error'],
    [{ ...small, code: '' }, 'code', 'value_error'],
    [{ ...small, language: 'julia' }, 'language', 'value_error'],
    [{ ...small, language: 'constructor' }, 'language', 'value_error'],
    [{ ...small, run_timeout: 0 }, 'run_timeout', 'value_error'],
    [{ ...small, memory_limit_MB: 1e9 }, 'memory_limit_MB', 'value_error'],
    [{ ...small, fetch_files: ['/a.png'] }, 'fetch_files', 'value_error'],
    [{ ...small, args: ['-k'] }, 'args', 'value_error'],
    [{ ...small, files: { '/etc/passwd': 'aGk=' } }, 'files./etc/passwd', 'value_error'],
    [{ ...small, files: { 'a.txt': '%' } }, 'files.a.txt.content', 'value_error'],
  ])('that is not valid is refused by field (%#)', (body, field, type) => {
    const detail = [{ type, loc: ['body', field], msg: expect.any(String) }]
    expect(refused(body)).toEqual({ status: 422, body: { detail } })
  })

  it('is refused unless it is an object', () => {
    expect(refused(null)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'] }] } })
  })
})

describe("SandboxFusion's answer", () => {
  it('reports the run', () => {
    expect(runCodeResponse(sampleResult())).toEqual({
      status: 'Success',
      message: '',
      compile_result: null,
      run_result: {
        ...{ status: 'Finished', execution_time: 0.045, return_code: 0, stdout: 'hello\n', stderr: '' },
      },
      executor_pod_name: 'w-1',
      files: {},
    })
  })

  it('reports no run for a program that did not compile', () => {
    const failed = sampleResult({ status: 'compile_error', compileOutput: 'error', exitCode: null })
    expect(runCodeResponse(failed)).toMatchObject({
      status: 'Failed',
      compile_result: { status: 'Finished', return_code: 1, stderr: 'error' },
      run_result: null,
    })
  })

  it('has no return code after a timeout, and a negative one after a signal', () => {
    const late = sampleResult({ status: 'timeout', exitCode: null, signal: 'SIGKILL' })
    expect(runCodeResponse(late).run_result).toMatchObject({ status: 'TimeLimitExceeded', return_code: null })
    const dead = sampleResult({ status: 'execution_error', exitCode: null, signal: 'SIGSEGV' })
    expect(runCodeResponse(dead).run_result).toMatchObject({ status: 'Finished', return_code: -11 })
    const large = sampleResult({
      status: 'memory_exceeded',
      exitCode: null,
      signal: null,
      errorMessage: 'too much',
    })
    expect(runCodeResponse(large)).toMatchObject({ message: 'too much', run_result: { return_code: -9 } })
  })

  it('never blames a program for the platform', () => {
    const fault = sampleResult({ status: 'setup_error', errorMessage: 'no container', stdout: '' })
    expect(runCodeResponse(fault)).toMatchObject({
      ...{ status: 'SandboxError', message: 'no container', run_result: null },
    })
  })

  const OF_STATUSES: Readonly<Record<Result['status'], string>> = {
    success: 'Success',
    execution_error: 'Failed',
    compile_error: 'Failed',
    timeout: 'Failed',
    memory_exceeded: 'Failed',
    output_exceeded: 'Failed',
    validation_error: 'SandboxError',
    cancelled: 'SandboxError',
    setup_error: 'SandboxError',
  }
  it.each(STATUSES)('has a status for %s', (status) => {
    expect(runStatusOf(sampleResult({ status }))).toBe(OF_STATUSES[status])
  })

  it('blames a program whose source was refused', () => {
    const refusedSource = sampleResult({
      status: 'validation_error',
      validationErrors: ['Blocked import: os'],
    })
    expect(runStatusOf(refusedSource)).toBe('Failed')
  })
})

describe("SandboxFusion's refusals", () => {
  it.each([
    [{ status: 401, code: 'unauthorized', detail: 'Send a key.' }, 401, { detail: 'Send a key.' }],
    [
      { status: 400, code: 'invalid_json', detail: 'The body is not valid JSON.' },
      422,
      { detail: [{ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON.' }] },
    ],
  ])('have its form (%#)', (refusal, status, body) => {
    expect(sandboxFusionRefusal(refusal)).toEqual({ status, body })
  })
})
