import { type Job, type JobInput, type Language, parseJob, type Result } from '@isopod/protocol'
import { type CacheEntry, type Delivery, unexecutedJobResult } from '@isopod/queue'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { cachedRun } from '../../src/jobs/cached-run.ts'

const never = new AbortController().signal
const sh = {
  name: 'sh',
  version: '1',
  filename: 'main.sh',
  compile: ['build', '{args}'],
  image: 'img',
  default_limits: {},
  timeout_factor: 1,
}

/** A worker with a cache; `ends` records how each cache flight ended. */
function world({
  digest = 'sha256:x',
  ttlSeconds = 60,
  broken = false,
  mode = 'warn' as 'warn' | 'enforce',
  release = '1.0.0',
  profile = 'sha256 of a profile',
  entered = undefined as CacheEntry | undefined,
} = {}) {
  const asked: string[] = []
  const kept = new Map<string, Result>()
  const ends: string[] = []
  const audited: AuditEvent[] = []
  const ran: string[] = []
  let ending: Partial<Result> = {}
  const cache = {
    async enter(key: string): Promise<CacheEntry> {
      asked.push(key)
      if (broken) throw new Error('no Redis')
      if (entered !== undefined) return entered
      const result = kept.get(key)
      if (result !== undefined) return { type: 'hit', result }
      const commit = async (made: Result) => {
        kept.set(key, made)
        ends.push('commit')
      }
      return {
        type: 'flight',
        flight: {
          commit,
          skip: async () => void ends.push('skip'),
          release: async () => void ends.push('release'),
        },
      }
    },
  }
  const handle = async ({ id, job, attempt }: Delivery): Promise<Result> => {
    ran.push(id)
    const unexecuted = unexecutedJobResult({
      id,
      job,
      status: 'setup_error',
      errorMessage: '',
      attempt,
      workerId: 'other',
    })
    const { status = 'success' } = ending
    return { ...unexecuted, imageDigest: 'sha256:x', status, attributable: true, stdout: 'hello', ...ending }
  }
  const run = cachedRun(handle, {
    workerId: 'w',
    release,
    rules: {
      catalogue: { find: () => sh as unknown as Language, summaries: () => [], languages: [] },
      defaults: {},
      maxima: {},
      networks: new Map(),
      runtime: 'runc',
      runtimes: ['runc', 'runsc', 'isopod-spawner'],
      minimumIsolation: 'process',
    },
    gate: { applied: ({ rules }) => ({ mode, rules }) },
    cache,
    audit: (event) => audited.push(event),
    ttlSeconds,
    digest: async () => digest,
    profileDigest: () => profile,
    onError: () => ends.push('error'),
  })
  let count = 0
  return {
    asked,
    kept,
    ends,
    ran,
    audited,
    set result(result: Partial<Result>) {
      ending = result
    },
    run: (job: JobInput, ageMs = 0) =>
      run(delivery(`j${count++}`, parseJob({ cache: true, ...job }), ageMs), never),
  }
}

function delivery(id: string, job: Job, ageMs: number): Delivery {
  const now = Date.now()
  return { id, job, attempt: 1, enqueuedAt: now - ageMs, takenAt: now, stalls: 0, faults: 0 }
}

test('an equal job gets the cached result under its own id and labels, marked as cached', async () => {
  const { run, ran, ends, audited } = world()
  const first = await run({ code: 'a', labels: { n: '1' }, batchId: 'b1' })
  const second = await run({ code: 'a', labels: { n: '2' }, priority: 3 })
  expect(first.cached).toBeUndefined()
  expect(second).toMatchObject({ id: 'j1', cached: true, cachedFrom: 'j0', workerId: 'w', stdout: 'hello' })
  expect(second).toMatchObject({ labels: { n: '2' }, timings: { run: 0, queued: 0 } })
  expect('batchId' in second).toBe(false)
  expect([ran, ends]).toEqual([['j0'], ['commit']])
  // The handler of executed jobs audits the first.
  expect(audited.map(({ event, job }) => `${job} ${event}`)).toEqual(['j1 requested', 'j1 finished'])
})

test('jobs that differ in anything a program can observe never share a result', async () => {
  const variants: JobInput[] = [
    { code: 'a' },
    { code: 'b' },
    { code: 'a', stdin: '' },
    { code: 'a', stdin: 'x' },
    { code: 'a', args: ['x'] },
    { code: 'a', args: ['x', ''] },
    { code: 'a', env: { A: 'x' } },
    { code: 'a', env: { A: 'y' } },
    { code: 'a', compileArgs: ['x'] },
    { code: 'a', inputData: null },
    { code: 'a', inputData: { x: 1, y: 2 } },
    { code: 'a', inputData: { y: 2, x: 1 } },
    { code: 'a', files: { x: { content: '1' } } },
    { code: 'a', files: { y: { content: '1' } } },
    { code: 'a', limits: { timeoutSeconds: 5 } },
    { code: 'a', limits: { outputBytes: 5 } },
    { code: 'a', runtime: 'runsc' },
    { code: 'a', isolation: 'process' },
    { code: 'a', preload: true },
    { code: 'a', repeat: 2 },
    { code: 'a', tenant: 'other' },
    { code: 'a', policy: { mode: 'warn', rules: 'strict' } },
  ]
  const { run, kept } = world()
  for (const variant of variants) await run(variant)
  expect(kept.size).toBe(variants.length)
  for (const variant of variants) expect(await run(variant)).toMatchObject({ cached: true })
  await run({ code: 'a', env: { A: '1', B: '2' } })
  expect(await run({ code: 'a', env: { B: '2', A: '1' } })).toMatchObject({ cached: true })
  // The runtime that jobs have by default.
  expect(await run({ code: 'a', isolation: 'container' })).toMatchObject({ cached: true })
  // A limit that equals the default is the same as no limit in the job.
  expect(await run({ code: 'a', limits: { timeoutSeconds: 30 } })).toMatchObject({ cached: true })
})

test('workers that could produce different results do not share them', async () => {
  const workers = [
    ...[{}, { digest: 'sha256:y' }, { mode: 'enforce' as const }, { release: '1.0.1' }],
    ...[{ profile: 'another' }, {}],
  ].map(world)
  for (const { run } of workers) await run({ code: 'a' })
  const keys = workers.flatMap(({ asked }) => asked)
  expect(keys).toHaveLength(6)
  expect(new Set(keys).size).toBe(5)
  expect(keys.at(-1)).toBe(keys[0])
})

test('the order of a job’s files does not matter for the cache', async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(names, async (files) => {
      const { run } = world()
      const laid = (order: string[]) => Object.fromEntries(order.map((name) => [name, { content: name }]))
      await run({ code: 'a', files: laid(files) })
      expect(await run({ code: 'a', files: laid(files.toReversed()) })).toMatchObject({ cached: true })
    }),
    { numRuns: 20 },
  )
})

test('a result that depends on host, batch or chance is not cached', async () => {
  const cases: [Partial<Result>, string][] = [
    [{ status: 'success' }, 'commit'],
    [{ status: 'execution_error' }, 'commit'],
    [{ status: 'compile_error' }, 'commit'],
    [{ status: 'success', flaky: true }, 'skip'],
    [{ status: 'timeout' }, 'skip'],
    [{ status: 'memory_exceeded' }, 'skip'],
    [{ status: 'output_exceeded' }, 'skip'],
    [{ imageDigest: 'sha256:older' }, 'skip'],
    [{ containerOrigin: 'made' }, 'commit'],
    [{ containerOrigin: 'pool' }, 'commit'],
    [{ containerOrigin: 'batch' }, 'skip'],
    [{ status: 'cancelled', attributable: false }, 'release'],
  ]
  for (const [result, end] of cases) {
    const tried = world()
    tried.result = result
    await tried.run({ code: 'a' })
    expect([result, tried.ends]).toEqual([result, [end]])
  }
  const graded = world()
  const test = {
    name: '1',
    exitCode: null,
    signal: null,
    wallMs: 1,
    cpuMs: 1,
    memoryPeakBytes: 1,
    diff: null,
  }
  graded.result = { tests: [{ ...test, verdict: 'timeout' }] }
  await graded.run({ code: 'a' })
  graded.result = { tests: [{ ...test, verdict: 'wrong_answer' }] }
  await graded.run({ code: 'a' })
  // This verdict depends on how fast the host compares.
  const diff = 'the comparison took more than 10 s of CPU time'
  graded.result = { tests: [{ ...test, verdict: 'wrong_answer', diff }] }
  await graded.run({ code: 'b' })
  graded.result = { tests: [{ ...test, verdict: 'judge_error' }] }
  await graded.run({ code: 'c' })
  expect(graded.ends).toEqual(['skip', 'commit', 'skip', 'skip'])
})

test('a job runs as usual if the cache is off or fails', async () => {
  const off = world({ ttlSeconds: 0 })
  await off.run({ code: 'a' })
  expect(off.ends).toEqual([])
  const broken = world({ broken: true })
  expect(await broken.run({ code: 'a' })).toMatchObject({ status: 'success' })
  expect([broken.ran.length, broken.ends]).toEqual([1, ['error']])
})

test('a job that waits for an equal one is deferred without an audit event, for longer as it ages', async () => {
  for (const [ageMs, delayMs] of [
    [0, 100],
    [2000, 500],
    [60_000, 2000],
  ] as const) {
    const { run, ran, audited } = world({ entered: { type: 'pending' } })
    await expect(run({ code: 'a' }, ageMs)).rejects.toMatchObject({ name: 'JobDeferred', delayMs })
    expect([ran, audited]).toEqual([[], []])
  }
})

test('a job runs without the cache if the cache says skip', async () => {
  const { run, ran, ends } = world({ entered: { type: 'skip' } })
  await run({ code: 'a' })
  expect([ran, ends]).toEqual([['j0'], []])
})

test('a job with a network cannot ask for the cache', () => {
  expect(() => parseJob({ code: 'a', cache: true, network: 'pypi' })).toThrow('cache: allows no network')
})
