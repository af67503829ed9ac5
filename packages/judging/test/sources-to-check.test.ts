import { createCatalogue } from '@isopod/languages'
import { type Language, parseJob } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { sourcesToCheck } from '../src/sources-to-check.ts'

const languages = [
  { name: 'one', filename: 'main.x', version: '1', aliases: [] },
  { name: 'other', filename: 'main.y', version: '1', aliases: [] },
] as unknown as Language[]
const catalogue = createCatalogue(languages)
const text = (content: string) => ({ content, encoding: 'utf8' as const })

describe('sourcesToCheck', () => {
  it('includes scripts and files of test cases, under names that no file of a job can have', () => {
    const { tests } = parseJob({ code: 'c', tests: [{ script: 's', files: { 'a.x': { content: 'f' } } }] })
    const execution = { language: languages[0], files: { 'test-1.x': text('j') } } as unknown as Execution
    expect(sourcesToCheck(execution, tests ?? [], catalogue).files).toEqual({
      'test-1.x': text('j'),
      '/test-1.x': text('s'),
      '/test-1/a.x': text('f'),
    })
  })

  it('includes checker and interactor programs once, as source of their own language', () => {
    const checker = { type: 'program', language: 'other', code: 'judge' } as const
    const interactor = { language: 'other', code: 'talk' }
    const given = [
      { checker },
      { checker },
      { interactor },
      { interactor },
      { checker: 'json', expected: '1' },
    ]
    const { tests } = parseJob({ code: 'c', tests: given })
    const execution = { language: languages[0] } as unknown as Execution
    expect(sourcesToCheck(execution, tests ?? [], catalogue).files).toEqual({
      '/test-1-checker.y': text('judge'),
      '/test-3-interactor.y': text('talk'),
    })
  })

  it('includes a checker program once for each language that runs it', () => {
    const code = 'a program in both'
    const given = ['one', 'other', 'one'].map((language) => ({
      checker: { type: 'program', language, code } as const,
    }))
    const { tests } = parseJob({ code: 'c', tests: given })
    const execution = { language: languages[0] } as unknown as Execution
    expect(sourcesToCheck(execution, tests ?? [], catalogue).files).toEqual({
      '/test-1-checker.x': text(code),
      '/test-2-checker.y': text(code),
    })
  })
})
