import type { Language } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { kindOf } from '../../src/acquire/container-source.ts'
import { canonical } from '../../src/acquire/pool/pool-key.ts'
import { preloadPlan } from '../../src/acquire/preload-plan.ts'
import type { Execution } from '../../src/contract/execution.ts'
import { makeLibrary } from '../../src/contract/library.ts'
import { preloadFrames } from '../../src/driver/preload.ts'
import { limits, SHELL } from '../support/execution.ts'

const hooked: Language = {
  ...SHELL,
  preload: {
    files: { 'hook/start': '{control} {modules} {forks}' },
    modules: ['numpy', 'pandas'],
    forks: true,
    unless_files: ['settings.json'],
  },
}
const piped: Language = { ...SHELL, preload: { files: {}, modules: [], forks: false, unless_files: [] } }
const file = (content: string) => ({ content, encoding: 'utf8' as const })

function plan(code: string, changes: Partial<Execution> = {}) {
  const base = { id: 'j', attempt: 1, language: hooked, limits: limits(), preload: true }
  return preloadPlan({ ...base, code, ...changes })
}

describe('a preload plan', () => {
  it.each([
    ['print(1)', []],
    ['import numpy as np', ['numpy']],
    ['import pandas', ['numpy', 'pandas']],
    ['import numpyx, my_pandas', []],
  ])('imports what %j names, and what comes before that', (code, modules) => {
    expect(plan(code)?.modules).toEqual(modules)
  })

  it('imports modules named in text files of the program, not in binary ones', () => {
    expect(plan('import lib', { files: { 'lib.py': file('import pandas') } })?.modules).toHaveLength(2)
    const bytes = { content: 'numpy/numpy+numpy', encoding: 'base64' as const }
    expect(plan('x', { files: { data: bytes } })?.modules).toEqual([])
  })

  it('is made only if the program then has as much memory as without preload', () => {
    const memory = (memoryMb: number, changes: Partial<Execution> = {}, code = 'x') =>
      plan(code, { limits: limits({ memoryMb }), ...changes }) !== undefined
    expect([memory(28), memory(32), memory(32, {}, 'numpy'), memory(96, {}, 'pandas')]).toEqual([
      false,
      true,
      false,
      true,
    ])
    const large = { 'large.txt': file('x'.repeat(4 * 1024 * 1024)) }
    expect([memory(32, { files: large }), memory(33, { files: large })]).toEqual([false, true])
  })

  it('contains the command and environment of the run, and a hook with its control descriptor', () => {
    expect(plan('pandas', { limits: limits({ openFiles: 16 }) })).toMatchObject({
      argv: ['sh', 'main.sh'],
      env: { HOME: '/workspace', OMP_NUM_THREADS: '1' },
      files: { 'hook/start': '15 ["numpy","pandas"] 0' },
      mainFile: undefined,
      forks: false,
    })
  })

  it('is not made for a program with its own arguments or variables', () => {
    expect(plan('x', { args: ['a'] })).toBeUndefined()
    expect(plan('x', { env: { A: '1' } })).toBeUndefined()
    expect(plan('x', { args: [], env: {} })).toBeDefined()
    // With runs, each run's arguments replace the job's.
    expect(plan('x', { args: ['a'], runs: [{ limits: limits(), args: [] }] })).toBeDefined()
    expect(plan('x', { runs: [{ limits: limits() }, { limits: limits(), args: ['a'] }] })).toBeUndefined()
  })

  it('makes the interpreter wait while it opens its main file if there is no hook', () => {
    expect(plan('x', { language: piped })).toMatchObject({ mainFile: 'main.sh', files: {} })
  })

  it('forks within a batch, and serves one program otherwise', () => {
    expect(plan('x', { sharedBy: 'b' })).toMatchObject({ forks: true, files: { 'hook/start': '255 [] 1' } })
    expect(plan('x', { sharedBy: 'b', language: piped })).toBeUndefined()
    expect(plan('x', { sharedBy: 'b', limits: limits({ processes: 1 }) })).toBeUndefined()
  })

  it.each<[string, Partial<Execution>]>([
    ['the job does not ask for it', { preload: false }],
    ['the language has no preload', { language: SHELL }],
    ['input data changes the environment', { inputData: null }],
    [
      'the interpreter reads a file of the job before its main file',
      { files: { 'settings.json': file('{}') } },
    ],
    ['nothing could set its CPU limit at the start', { language: piped, limits: limits({ cpuSeconds: 1 }) }],
  ])('is not made if %s', (_, changes) => {
    expect(plan('numpy', changes)).toBeUndefined()
  })

  it('is part of a container’s kind and contains nothing of a single program', () => {
    const base = { attempt: 1, language: hooked, limits: limits(), preload: true }
    const kind = (code: string) => kindOf({ id: code, code, ...base })
    expect(kind('a')).toEqual(kind('b'))
    expect(kind('a')).not.toEqual(kind('numpy'))
  })

  it('has its library in the key of the kind as a digest, and in the hook as text', () => {
    const loading: Language = {
      ...hooked,
      preload: { files: { 'hook/start': 'load({library})' }, modules: [], forks: true, unless_files: [] },
    }
    const base = { id: 'j', attempt: 1, language: loading, limits: limits(), preload: true, code: 'x' }
    const kind = (text?: string) =>
      kindOf({ ...base, library: text === undefined ? undefined : makeLibrary(text) })
    const keys = [kind(), kind('$& "one"'), kind('another')].map((each) => canonical(each))
    expect(new Set(keys).size).toBe(3)
    expect(canonical(kind('another'))).toBe(keys[2])
    expect(keys[1]).not.toContain('one')
    const sent = (text?: string) => {
      const { preload, limits: own } = kind(text)
      return preload && Buffer.from(preloadFrames(preload, own)).toString()
    }
    expect(sent()).toContain('load("")')
    expect(sent('$& "one"')).toContain('load("$& \\"one\\"")')
  })
})
