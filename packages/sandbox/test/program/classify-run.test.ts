import { RetryableError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { classifyRun } from '../../src/program/classify-run.ts'
import { limits } from '../support/execution.ts'
import { lost, report } from '../support/report.ts'

const asked = limits({ timeoutSeconds: 5, memoryMb: 64, cpuSeconds: 2, outputBytes: 100 })

describe('a run is classified by its first cause', () => {
  it.each([
    [
      'exit code 0 long after the wall-clock limit',
      report({ wallMs: 5_200 }),
      { status: 'timeout', limit: 'timeout' },
    ],
    ['a clean end within its slack', report({ wallMs: 5_050 }), { status: 'success' }],
    [
      'exit code 0 with more CPU time than the limit',
      report({ cpuSysMs: 2_200 }),
      { status: 'timeout', limit: 'cpu' },
    ],
    ['exit code 0', report({}), { status: 'success', exitCode: 0, errorMessage: null }],
    [
      'exit code 3',
      report({ exitCode: 3 }),
      { status: 'execution_error', errorMessage: 'Program exited with code 3' },
    ],
    [
      'a signal',
      report({ exitCode: null, signal: 11 }),
      { status: 'execution_error', signal: 'SIGSEGV', errorMessage: 'Program was ended by SIGSEGV' },
    ],
    [
      'the wall clock',
      report({ exitCode: null, signal: 9, limit: 'timeout' }),
      { status: 'timeout', limit: 'timeout', errorMessage: 'Execution timed out after 5 seconds' },
    ],
    ['CPU time', report({ exitCode: null, signal: 9, limit: 'cpu' }), { status: 'timeout', limit: 'cpu' }],
    [
      'too much output',
      report({ limit: 'output', exitCode: null, signal: 9 }),
      { status: 'output_exceeded', limit: 'output' },
    ],
    [
      'an out-of-memory kill in a program that then succeeded',
      report({ oomKills: 1, exitCode: 0 }),
      { status: 'memory_exceeded', limit: 'memory', exitCode: 0 },
    ],
    [
      'an out-of-memory kill before a timeout',
      report({ oomKills: 2, limit: 'timeout' }),
      { status: 'memory_exceeded' },
    ],
    ['a container whose init broke the wire', lost('wire'), { status: 'execution_error' }],
    [
      'a run whose sockets held more than its memory limit',
      report({ limit: 'memory', signal: 9, exitCode: null, memoryPeakBytes: 1024 }),
      { status: 'memory_exceeded', limit: 'memory' },
    ],
    ['a container that was killed for its memory', lost('memory'), { status: 'memory_exceeded' }],
    ['a container that the worker ended', lost('backstop'), { status: 'timeout' }],
    [
      'a compiled program that cannot start',
      report({ spawnError: 'EACCES', exitCode: 127 }),
      { status: 'execution_error' },
    ],
  ])('%s', (_, given, expected) => {
    expect(classifyRun(given, asked, './main')).toMatchObject(expected)
  })

  it('a timeout names the limit that was asked for, and the factor of its language', () => {
    const { errorMessage } = classifyRun(report({ limit: 'timeout' }), asked, 'java', undefined, 2)
    expect(errorMessage).toBe(
      "Execution timed out after 5 seconds (limits.timeoutSeconds is 2.5, the language's timeout factor 2)",
    )
  })

  it('an out-of-memory kill below the container’s limit is blamed on the host', () => {
    const killed = report({ oomKills: 1, signal: 9, exitCode: null, memoryPeakBytes: 20 * 1024 * 1024 })
    expect(() => classifyRun(killed, asked, './main')).toThrow(RetryableError)
  })

  it('a missing interpreter is blamed on the platform', () => {
    expect(() => classifyRun(report({ spawnError: 'ENOENT', exitCode: 127 }), asked, 'python3')).toThrow(
      RetryableError,
    )
  })
})
