import { type Result, STATUSES } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { sampleResult } from '../../../../test/support/samples.ts'
import { RequestRefused } from '../../src/http/problem.ts'
import { parseFields } from '../../src/routes/drop-in/field-errors.ts'
import { jobOfExecute } from '../../src/routes/drop-in/piston/execute-job.ts'
import { executeResponse, stageStatus } from '../../src/routes/drop-in/piston/execute-response.ts'
import { executeSchema } from '../../src/routes/drop-in/piston/execute-schema.ts'
import { pistonRefusal } from '../../src/routes/drop-in/piston/refusals.ts'
import { findRuntime, runtimesOf } from '../../src/routes/drop-in/piston/runtimes.ts'

const offered = runtimesOf([
  { name: 'python', version: '3.13', aliases: ['py'] },
  { name: 'cpp', version: '14', aliases: ['c++', 'g++'] },
  { name: 'odd', version: 'latest', aliases: [], missingImage: 'odd:1' },
])

describe("Piston's runtimes", () => {
  it('have the language names of Piston and SemVer versions', () => {
    expect(offered).toEqual([
      {
        runtime: { language: 'python', version: '3.13.0', aliases: ['py', 'py3'] },
        catalogueName: 'python',
        installed: true,
      },
      {
        runtime: { language: 'c++', version: '14.0.0', aliases: ['cpp', 'g++'], runtime: 'gcc' },
        catalogueName: 'cpp',
        installed: true,
      },
      { runtime: { language: 'odd', version: '0.0.0', aliases: [] }, catalogueName: 'odd', installed: false },
    ])
  })

  it.each([
    ['python', '3.13.0', 'python'],
    ['PY', '*', 'python'],
    ['py3', '3.x', 'python'],
    ['cpp', '>=10', 'cpp'],
    ['c++', '14', 'cpp'],
    ['python', '3.10.0', undefined],
    ['python', 'nonsense', undefined],
    ['klingon', '*', undefined],
  ])('%s %s is %s', (language, version, name) => {
    expect(findRuntime(offered, language, version)?.catalogueName).toBe(name)
  })
})

const read = (body: unknown) => jobOfExecute(parseFields(executeSchema, body), 'python')

/** The status and body of the refusal that the caller receives. */
function refused(body: unknown): unknown {
  try {
    read(body)
  } catch (error) {
    if (error instanceof RequestRefused) return pistonRefusal(error)
    throw error
  }
  return 'taken'
}

const small = { language: 'py', version: '*', files: [{ content: 'print(1)' }] }

describe('a Piston request', () => {
  it('becomes a job: the first file is the code, the others are its files', () => {
    const body = {
      ...small,
      files: [
        { name: 'main.py', content: 'cHJpbnQoMSk=', encoding: 'base64' },
        { name: 'a.txt', content: 'hi' },
        { content: 'ff00', encoding: 'hex' },
      ],
      stdin: 'in',
      args: ['1', '2 3'],
      run_timeout: 1500,
      run_cpu_time: 1000,
      run_memory_limit: 64 * 1024 * 1024,
      compile_timeout: 10_000,
      compile_memory_limit: -1,
      other: true,
    }
    expect(read(body)).toEqual({
      language: 'python',
      code: 'print(1)',
      files: {
        'a.txt': { content: 'aGk=', encoding: 'base64' },
        'file2.code': { content: '/wA=', encoding: 'base64' },
      },
      stdin: 'in',
      args: ['1', '2 3'],
      limits: {
        timeoutSeconds: 1.5,
        cpuSeconds: 1,
        memoryMb: 64,
        outputBytes: 1024 * 1024,
        onOverflow: 'kill',
      },
    })
  })

  it('has a run timeout of 3 s by default', () => {
    expect(read(small)).toMatchObject({ limits: { timeoutSeconds: 3 } })
    expect(read({ ...small, run_memory_limit: -1, stdin: null }).limits).not.toHaveProperty('memoryMb')
  })

  it.each([
    [{ ...small, language: 7 }, 'language is required as a string'],
    [{ ...small, version: undefined }, 'version is required as a string'],
    [{ ...small, files: 'x' }, 'files is required as an array'],
    [{ ...small, files: [] }, /^files must be a list of 1 to 65 files$/],
    [{ ...small, files: [{}] }, 'files[0].content is required as a string'],
    [{ ...small, files: [{ content: '' }] }, /^files\[0\]\.content Code cannot be empty/],
    [{ ...small, files: [{ content: '/w==', encoding: 'base64' }] }, 'files[0].content must be UTF-8 text'],
    [{ ...small, files: [{ content: 'xyz', encoding: 'hex' }] }, 'files[0].content must be valid hex'],
    [
      { ...small, files: [{ content: 'x' }, { name: '../x', content: 'x' }] },
      /^files.*must be a relative path/,
    ],
    [
      { ...small, files: ['x', 'y', 'z'].map((content) => ({ name: 'a', content })) },
      'files must have different names',
    ],
    [{ ...small, run_timeout: 1e9 }, 'run_timeout must be a number from 100 to 300000'],
    [{ ...small, run_memory_limit: 5 }, /^run_memory_limit must be -1, or a number from/],
    [{ ...small, args: 'x' }, 'args must be an array of strings'],
    [null, expect.any(String)],
  ])('that is not valid is refused with a message (%#)', (body, message) => {
    const expected = message instanceof RegExp ? expect.stringMatching(message) : message
    expect(refused(body)).toEqual({ status: 400, body: { message: expected } })
  })
})

describe("Piston's answer", () => {
  const python = { language: 'python', version: '3.13.0', aliases: [] }

  it('reports the run', () => {
    expect(executeResponse(sampleResult({ stderr: 'oh\n' }), python)).toEqual({
      language: 'python',
      version: '3.13.0',
      run: {
        stdout: 'hello\n',
        stderr: 'oh\n',
        output: 'hello\noh\n',
        code: 0,
        signal: null,
        message: null,
        status: null,
        cpu_time: 24,
        wall_time: 45,
        memory: 380 * 1024,
      },
    })
  })

  it('reports the compile stage, and only it if compiling failed', () => {
    expect(executeResponse(sampleResult({ compileOutput: 'warning' }), python)).toMatchObject({
      compile: { stderr: 'warning', code: 0 },
      run: { stdout: 'hello\n' },
    })
    const failed = sampleResult({ status: 'compile_error', compileOutput: 'error', exitCode: null })
    expect(executeResponse(failed, python)).toMatchObject({
      compile: { stderr: 'error', code: 1, status: 'RE' },
      run: { stderr: 'error', code: 1 },
    })
    expect(Object.keys(executeResponse(failed, python).run)).not.toContain('memory')
    const unmeasured = sampleResult({ cpuSysMs: null, wallMs: null, memoryPeakBytes: null })
    const { run } = executeResponse(unmeasured, python)
    expect(['cpu_time', 'wall_time', 'memory'].filter((name) => name in run)).toEqual([])
  })

  it('reports SIGKILL for a program that a limit ended', () => {
    const late = sampleResult({ status: 'timeout', exitCode: null, signal: 'SIGKILL', errorMessage: 'late' })
    expect(executeResponse(late, python).run).toMatchObject({
      ...{ code: null, signal: 'SIGKILL', status: 'TO', message: 'late' },
    })
  })

  const OF_STATUSES: Readonly<Record<Result['status'], string | null>> = {
    success: null,
    execution_error: 'RE',
    compile_error: 'RE',
    timeout: 'TO',
    memory_exceeded: 'SG',
    output_exceeded: 'OL',
    validation_error: 'XX',
    cancelled: 'XX',
    setup_error: 'XX',
  }
  it.each(STATUSES)('has a status for %s', (status) => {
    expect(stageStatus(sampleResult({ status }))).toBe(OF_STATUSES[status])
  })

  it('reports signals and which stream exceeded its limit', () => {
    expect(stageStatus(sampleResult({ status: 'execution_error', signal: 'SIGSEGV' }))).toBe('SG')
    const loud = sampleResult({ status: 'output_exceeded', outputBytes: { stdout: 0, stderr: 9 } })
    expect(stageStatus(loud)).toBe('EL')
  })
})
