import { parseTargetRules } from '@isopod/webhooks'
import { describe, expect, it } from 'vitest'
import { callbackRule } from '../../src/callback-rule.ts'
import { RequestRefused } from '../../src/http/problem.ts'
import { judge0Refusal } from '../../src/routes/drop-in/judge0/refusals.ts'
import { jobOfSubmission } from '../../src/routes/drop-in/judge0/submission-job.ts'
import { makeZip } from './make-zip.ts'

const context = {
  base64: false,
  offered: undefined,
  callbackRule: callbackRule(parseTargetRules([])),
  createdAt: new Date(0),
}
const read = (input: unknown, base64 = false) => jobOfSubmission(input, { ...context, base64 })

/** The status and body of the refusal that the caller receives. */
async function refused(input: unknown, base64 = false): Promise<unknown> {
  try {
    await read(input, base64)
  } catch (error) {
    if (error instanceof RequestRefused) return judge0Refusal(error)
    throw error
  }
  return 'accepted'
}

describe('a Judge0 submission', () => {
  it('becomes a job with the default limits of Judge0', async () => {
    expect(await read({ source_code: 'print(1)', language_id: '71', unknown: 7, stdin: null })).toEqual({
      language: 'python',
      code: 'print(1)',
      limits: { cpuSeconds: 5, timeoutSeconds: 10, outputBytes: 1024 * 1024, onOverflow: 'kill' },
      labels: { 'judge0.language_id': '71', 'judge0.created_at': '1970-01-01T00:00:00.000Z' },
    })
  })

  it('carries every supported option over to the job', async () => {
    const job = await read({
      source_code: 'int main;',
      language_id: 50,
      stdin: 'in',
      expected_output: 'out',
      command_line_arguments: '-n "1 2"',
      compiler_options: '-O3',
      cpu_time_limit: '1.5',
      wall_time_limit: 3,
      memory_limit: 128_000,
      max_processes_and_or_threads: 30,
      max_file_size: 10,
      stack_limit: 64_000,
      cpu_extra_time: 0.5,
      number_of_runs: 1,
      enable_network: false,
    })
    expect(job).toMatchObject({
      language: 'c',
      stdin: 'in',
      args: ['-n', '1 2'],
      compileArgs: ['-O3'],
      tests: [{ expected: 'out', checker: 'trimmed' }],
      limits: { cpuSeconds: 1.5, timeoutSeconds: 3, memoryMb: 125, processes: 30, outputBytes: 10_240 },
    })
  })

  it('may be base64', async () => {
    const code = Buffer.from('print("é")').toString('base64')
    expect(await read({ source_code: code, language_id: 71 }, true)).toMatchObject({ code: 'print("é")' })
  })

  const python = { source_code: 'x', language_id: 71 }
  it.each([
    [{}, { language_id: ["can't be blank"], source_code: ["can't be blank"] }],
    [{ source_code: ' ', language_id: 71 }, { source_code: ["can't be blank"] }],
    [{ ...python, language_id: 150_000 }, { language_id: ["language with id 150000 doesn't exist"] }],
    [{ ...python, language_id: 'x' }, { language_id: ['is not a number'] }],
    [{ ...python, language_id: 1.5 }, { language_id: ['must be an integer'] }],
    [{ ...python, source_code: 7 }, { source_code: ['must be text'] }],
    [{ ...python, wall_time_limit: 100_000 }, { wall_time_limit: ['must be less than or equal to 20'] }],
    [{ ...python, cpu_time_limit: 0 }, { cpu_time_limit: ['must be greater than or equal to 0.1'] }],
    [{ ...python, memory_limit: [] }, { memory_limit: ['is not a number'] }],
    [{ ...python, callback_url: 'ftp://x/' }, { callback_url: [expect.stringContaining('http or https')] }],
    [{ ...python, callback_url: 'http://[::1]/' }, { callback_url: [expect.stringContaining('loopback')] }],
    [{ ...python, additional_files: 'UEsD' }, { additional_files: [expect.stringContaining('zip')] }],
    [{ ...python, additional_files: '%' }, { additional_files: ['must be valid base64'] }],
    [{ ...python, enable_network: 'true' }, { enable_network: ['enabling network is not allowed'] }],
    [{ ...python, compiler_options: '-O3' }, { compiler_options: [expect.stringContaining('compiled')] }],
    [{ ...python, command_line_arguments: '"' }, { command_line_arguments: [expect.any(String)] }],
    [{ ...python, source_code: 'x'.repeat(1024 * 1024 + 1) }, { source_code: [expect.any(String)] }],
    [{ ...python, stdin: 'x'.repeat(1024 * 1024 + 1) }, { stdin: [expect.any(String)] }],
    [{ ...python, expected_output: 'x'.repeat(1024 * 1024 + 1) }, { expected_output: [expect.any(String)] }],
    [null, { submission: ['must be an object'] }],
    [[1], { submission: ['must be an object'] }],
  ])('that is not valid is refused by field (%#)', async (input, body) => {
    expect(await refused(input)).toEqual({ status: 422, body })
  })

  it('is refused if its base64 is not text', async () => {
    const body = { source_code: ['must be base64 of UTF-8 text'] }
    expect(await refused({ source_code: '/w==', language_id: 71 }, true)).toEqual({ status: 422, body })
  })

  it('may contain files in a zip archive', async () => {
    const archive = makeZip([
      { path: 'data/', bytes: '' },
      { path: 'data/a.txt', bytes: 'x'.repeat(1000) },
      { path: 'b.txt', bytes: 'b', stored: true },
    ])
    const job = await read({ ...python, additional_files: archive.toString('base64') })
    expect(job.files).toEqual({
      'data/a.txt': { content: Buffer.from('x'.repeat(1000)).toString('base64'), encoding: 'base64' },
      'b.txt': { content: 'Yg==', encoding: 'base64' },
    })
  })

  const MIB = 1024 * 1024
  it.each([
    ['a path with ..', [{ path: '../a', bytes: '' }]],
    ['an absolute path', [{ path: '/etc/passwd', bytes: '' }]],
    ['a reserved path', [{ path: '.isopod/a', bytes: '' }]],
    ['one path twice', Array.from({ length: 2 }, () => ({ path: 'a', bytes: '' }))],
    ['too many files', Array.from({ length: 65 }, (_, index) => ({ path: `${index}`, bytes: '' }))],
    ['too many folders', Array.from({ length: 300 }, (_, index) => ({ path: `${index}/`, bytes: '' }))],
    ['too many bytes', [{ path: 'a', bytes: 'x'.repeat(5 * MIB + 1), stored: true }]],
    ['far more content than its own size', [{ path: 'a', bytes: 'x'.repeat(MIB) }]],
    ['more bytes than its directory says', [{ path: 'a', bytes: 'x'.repeat(20 * MIB), claimed: 1 }]],
    ['fewer bytes than its directory says', [{ path: 'a', bytes: 'x', claimed: 2 }]],
  ])('with an archive that has %s is refused', async (_, entries) => {
    const refusal = await refused({ ...python, additional_files: makeZip(entries).toString('base64') })
    expect(refusal).toEqual({ status: 422, body: { additional_files: [expect.any(String)] } })
  })
})
