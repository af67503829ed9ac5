import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, describe, expect, it } from 'vitest'
import { loadProblems } from '../src/grade/load-problems.ts'
import { readRecords } from '../src/grade/read-records.ts'

const folder = mkdtempSync(join(tmpdir(), 'isopod-parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))

const HUMANEVAL = [
  { name: 'task_id', data: ['HumanEval/0', 'HumanEval/1', 'HumanEval/2'] },
  { name: 'prompt', data: ['def f(x):\n', 'def g(x):\n', 'def h(x):\n    """€"""\n'] },
  { name: 'canonical_solution', data: ['    return x\n', '    return 2 * x\n', '    return 3 * x\n'] },
  {
    name: 'test',
    data: [1, 2, 3].map((times) => `def check(candidate):\n    assert candidate(1) == ${times}\n`),
  },
  { name: 'entry_point', data: ['f', 'g', 'h'] },
]

function written(name: string, options: Parameters<typeof parquetWriteBuffer>[0]): string {
  const path = join(folder, name)
  writeFileSync(path, Buffer.from(parquetWriteBuffer(options)))
  return path
}

async function recordsOf(path: string) {
  const records = []
  for await (const record of readRecords(path)) records.push(record)
  return records
}

function listOf(name: string, type: Partial<SchemaElement>): SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...type },
  ]
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const

describe('a data set in a Parquet file', () => {
  it.each([
    ['UNCOMPRESSED', {}],
    ['SNAPPY', {}],
    ['GZIP', { GZIP: (bytes: Uint8Array) => gzipSync(bytes) }],
    ['BROTLI', { BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes) }],
    ['ZSTD', { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) }],
  ] as const)('is read, compressed with %s, in row groups', async (codec, compressors) => {
    const path = written(`${codec}.parquet`, { columnData: HUMANEVAL, codec, compressors, rowGroupSize: 2 })
    const problems = await loadProblems(undefined, path)
    expect([problems.dataset, problems.size]).toEqual(['humaneval', 3])
    expect(problems.find('HumanEval/2')?.prompt).toBe('def h(x):\n    """€"""\n')
    const [, , last] = await recordsOf(path)
    expect(last?.place).toEqual({ file: path, line: 3 })
  })

  it('has nested values and times as CodeContests has them', async () => {
    const path = written('contests.parquet', {
      columnData: [
        { name: 'name', data: ['1_A. Sum'] },
        { name: 'time_limit', data: [{ seconds: 2n, nanos: 500_000_000 }] },
        { name: 'public_tests', data: [{ input: ['1 2\n', '3 4\n'], output: ['3\n', '7\n'] }] },
        { name: 'solutions', data: [{ language: [3], solution: ['print(sum(map(int, input().split())))'] }] },
      ],
      schema: [
        { name: 'root', num_children: 4 },
        { name: 'name', repetition_type: 'OPTIONAL', ...TEXT },
        { name: 'time_limit', repetition_type: 'OPTIONAL', num_children: 2 },
        { name: 'seconds', repetition_type: 'OPTIONAL', type: 'INT64' },
        { name: 'nanos', repetition_type: 'OPTIONAL', type: 'INT32' },
        { name: 'public_tests', repetition_type: 'OPTIONAL', num_children: 2 },
        ...listOf('input', TEXT),
        ...listOf('output', TEXT),
        { name: 'solutions', repetition_type: 'OPTIONAL', num_children: 2 },
        ...listOf('language', { type: 'INT32' }),
        ...listOf('solution', TEXT),
      ],
    })
    const problems = await loadProblems(undefined, path)
    const problem = problems.find('1_A. Sum')
    expect(problems.dataset).toBe('stdin-tests')
    expect(problem?.tests).toMatchObject([
      { stdin: '1 2\n', expected: '3\n' },
      { stdin: '3 4\n', expected: '7\n' },
    ])
    expect(problem?.limits.timeoutSeconds).toBe(2.5)
    expect([problem?.reference, problem?.referenceLanguage]).toEqual([
      'print(sum(map(int, input().split())))',
      'python',
    ])
  })

  it('is named with the reason if it is damaged', async () => {
    const path = written('damaged.parquet', { columnData: HUMANEVAL })
    writeFileSync(path, readFileSync(path).subarray(0, 200))
    await expect(recordsOf(path)).rejects.toThrow(/damaged\.parquet:1: cannot be read as Parquet \(/)
  })
})
