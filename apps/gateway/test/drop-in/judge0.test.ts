import { type Result, STATUSES, VERDICTS } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { sampleResult } from '../../../../test/support/samples.ts'
import { shippedCatalogue } from '../../../../test/support/shipped-catalogue.ts'
import { decodeText, encodeLines } from '../../src/routes/drop-in/base64.ts'
import {
  JUDGE0_LANGUAGES,
  judge0LanguageEntries,
  languageOfId,
} from '../../src/routes/drop-in/judge0/languages.ts'
import { judge0Refusal } from '../../src/routes/drop-in/judge0/refusals.ts'
import { splitWords } from '../../src/routes/drop-in/judge0/split-words.ts'
import { JUDGE0_STATUSES, statusIdOf } from '../../src/routes/drop-in/judge0/statuses.ts'
import { requestedFields, submissionView } from '../../src/routes/drop-in/judge0/submission-view.ts'

describe("Judge0's languages", () => {
  const entries = Object.entries(JUDGE0_LANGUAGES)

  it.each(entries.flatMap(([name, { ids }]) => ids.map((id) => [id, name] as const)))(
    'id %i is %s',
    (id, name) => {
      expect(languageOfId(id)).toBe(name)
    },
  )

  it.each([36, 37, 70, 112, 43, 44, 89, 90, 0, -1, 150_000, Number.NaN])('do not include id %d', (id) => {
    expect(languageOfId(id)).toBeUndefined()
  })

  it('have each id once', () => {
    const ids = entries.flatMap(([, language]) => language.ids)
    expect(ids).toHaveLength(new Set(ids).size)
  })

  it('are in the catalogue, and accept compiler options where their compile run does', async () => {
    const languages = new Map(
      (await shippedCatalogue()).languages.map((language) => [language.name, language]),
    )
    for (const [name, { compilerOptions = false }] of entries) {
      expect(languages.get(name), name).toBeDefined()
      expect(languages.get(name)?.compile?.includes('{args}') ?? false, name).toBe(compilerOptions)
    }
  })

  it('are listed with the version of the workers, if workers offer them', () => {
    const offered = [
      { name: 'python', version: '3.13', aliases: [] },
      { name: 'ruby', version: '3.3', aliases: [], missingImage: 'isopod/ruby:3.3' },
    ]
    const listed = judge0LanguageEntries(offered)
    expect(listed.map(({ id }) => id)).toEqual([34, 35, 71, 92, 100, 109, 113])
    expect(listed[0]).toEqual({ id: 34, name: 'Python (3.13)', is_archived: true })
    expect(listed[2]).toEqual({ id: 71, name: 'Python (3.13)', is_archived: false })
  })
})

describe("Judge0's statuses", () => {
  it('are 14, with ids from 1', () => {
    expect(JUDGE0_STATUSES.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect(JUDGE0_STATUSES[4]).toEqual({ id: 5, description: 'Time Limit Exceeded' })
  })

  const IDS: Readonly<Record<Result['status'], number>> = {
    success: 3,
    execution_error: 11,
    compile_error: 6,
    timeout: 5,
    memory_exceeded: 12,
    output_exceeded: 12,
    validation_error: 13,
    cancelled: 13,
    setup_error: 13,
  }
  it.each(STATUSES)('%s has one', (status) => {
    expect(statusIdOf(sampleResult({ status }))).toBe(IDS[status])
  })

  it.each([
    ['SIGSEGV', 7],
    ['SIGXFSZ', 8],
    ['SIGFPE', 9],
    ['SIGABRT', 10],
    ['SIGKILL', 12],
  ])('%s is %i', (signal, id) => {
    expect(statusIdOf(sampleResult({ status: 'execution_error', exitCode: null, signal }))).toBe(id)
  })

  const OF_VERDICTS = {
    passed: 3,
    wrong_answer: 4,
    timeout: 5,
    runtime_error: 11,
    memory_exceeded: 12,
    output_exceeded: 12,
    judge_error: 13,
    unverified: 13,
    skipped: 13,
  }
  it.each(VERDICTS)('the verdict %s has one', (verdict) => {
    const test = { name: '1', exitCode: 0, signal: null, wallMs: 1, cpuMs: 1, memoryPeakBytes: 1, diff: null }
    expect(statusIdOf(sampleResult({ tests: [{ ...test, verdict }] }))).toBe(OF_VERDICTS[verdict])
  })
})

describe('splitWords', () => {
  it.each([
    ['', []],
    ['  one   two ', ['one', 'two']],
    [`a "b c" 'd e'`, ['a', 'b c', 'd e']],
    [`a"b"c ''`, ['abc', '']],
    [`"a\\"b" 'c\\d' e\\ f "g\\h"`, ['a"b', 'c\\d', 'e f', 'g\\h']],
    ['$(id) `id`; a|b > c & d', ['(id)', 'id', 'ab', 'c', 'd']],
    ['* ~ {1,2}', ['*', '~', '{1,2}']],
  ])('reads %j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  it.each(['"a', "b'", `'a"`])('refuses %j', (text) => {
    expect(splitWords(text)).toBeUndefined()
  })
})

describe("Judge0's base64", () => {
  it('is written in lines of 60 characters, and read with or without line breaks', () => {
    const text = 'x'.repeat(50)
    const encoded = encodeLines(Buffer.from(text))
    expect(encoded.split('\n').map((line) => line.length)).toEqual([60, 8, 0])
    expect(decodeText(encoded)).toBe(text)
    expect(decodeText(encoded.replaceAll('\n', ''))).toBe(text)
  })

  it.each(['%%%', '/w==', 'a=b='])('refuses %j', (text) => {
    expect(decodeText(text)).toBeUndefined()
  })
})

describe('the attributes of a submission', () => {
  const finished = (changes: Partial<Result> = {}) =>
    ({ token: 'j-1', state: 'finished', result: sampleResult(changes) }) as const
  const usual = (requestedFields(undefined) as { fields: never }).fields

  it('are eight by default', () => {
    expect(submissionView(finished(), usual, false)).toEqual({
      token: 'j-1',
      time: '0.024',
      memory: 380,
      stdout: 'hello\n',
      stderr: null,
      compile_output: null,
      message: null,
      status: { id: 3, description: 'Accepted' },
    })
  })

  it('are base64 on request; output that is not text is refused without it', () => {
    expect(submissionView(finished(), ['stdout'], true)).toEqual({ stdout: 'aGVsbG8K\n' })
    const raw = { stdout: '\ufffd', raw: { stdout: '/w==' } }
    expect(submissionView(finished(raw), ['stdout'], true)).toEqual({ stdout: '/w==\n' })
    expect(submissionView(finished(raw), ['stdout'], false)).toBeUndefined()
  })

  it('are mostly null until it is finished', () => {
    const waiting = { token: 'j-1', state: 'waiting', result: undefined } as const
    expect(submissionView(waiting, ['status_id', 'stdout', 'time'], false)).toEqual({
      ...{ status_id: 1, stdout: null, time: null },
    })
    expect(submissionView({ ...waiting, state: 'running' }, ['status_id'], false)).toEqual({ status_id: 2 })
  })

  it('contain only the compiler’s output if the submission did not compile', () => {
    const failed = finished({ status: 'compile_error', compileOutput: 'error: x', exitCode: 1, stdout: '' })
    const fields = ['compile_output', 'exit_code', 'time', 'status_id'] as const
    expect(submissionView(failed, fields, false)).toEqual({
      ...{ compile_output: 'error: x', exit_code: null, time: null, status_id: 6 },
    })
  })

  it('include signal, language and times', () => {
    const labels = { 'judge0.language_id': '71', 'judge0.created_at': '1970-01-01T00:00:00.000Z' }
    const killed = finished({ status: 'execution_error', exitCode: null, signal: 'SIGSEGV', labels })
    const fields = ['exit_signal', 'language_id', 'created_at', 'finished_at'] as const
    expect(submissionView(killed, fields, false)).toEqual({
      exit_signal: 11,
      language_id: 71,
      created_at: '1970-01-01T00:00:00.000Z',
      finished_at: '1970-01-01T00:00:00.050Z',
    })
  })

  it('have no end time if it would be beyond the range of dates', () => {
    const labels = { 'judge0.created_at': '+275760-09-13T00:00:00.000Z' }
    expect(submissionView(finished({ labels }), ['finished_at'], false)).toEqual({ finished_at: null })
  })

  it('can be chosen, and a refusal names an unknown one', () => {
    expect(requestedFields('stdout, status_id')).toEqual({ fields: ['stdout', 'status_id'] })
    expect(requestedFields('stdout,source_code,x')).toEqual({ unknown: ['source_code', 'x'] })
    expect(requestedFields('*')).toMatchObject({ fields: expect.arrayContaining(['finished_at']) })
  })
})

describe("Judge0's refusals", () => {
  it.each([
    [{ status: 401, code: 'unauthorized', detail: 'Send a key.' }, 401, { error: 'Send a key.' }],
    [{ status: 503, code: 'queue_full', detail: 'long' }, 503, { error: 'queue is full' }],
    [
      {
        status: 400,
        code: 'invalid_job',
        detail: 'x',
        errors: [{ field: 'jobs[1].limits.memoryMb', message: 'jobs[1].limits.memoryMb: must be less' }],
      },
      422,
      { memory_limit: ['must be less'] },
    ],
  ])('have its form (%#)', (refusal, status, body) => {
    expect(judge0Refusal(refusal)).toEqual({ status, body })
  })
})
