import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { JobInput } from '@isopod/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleFullResult } from '../../../test/support/samples.ts'
import { useBench } from './harness.ts'

/**
 * The last release, 0.1.0. Releases are in no registry yet, so this is its commit. Node runs TypeScript, so its sources need no build;
 * they use the outside libraries of this checkout.
 */
const LAST_RELEASE = '50208a8f0c6bc51f6b803060785ed31a03b56a49'
const PACKAGES = ['protocol', 'queue', 'client']
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FIXTURE = fileURLToPath(new URL('fixtures/other-release.ts', import.meta.url))

const run = promisify(execFile)
const bench = useBench()
let folder = ''
let missing = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-release-'))
  try {
    await run('git', ['-C', ROOT, 'cat-file', '-e', `${LAST_RELEASE}^{commit}`])
  } catch {
    missing = `this clone does not have the commit of the last release, ${LAST_RELEASE}`
    return
  }
  const archive = join(folder, 'release.tar')
  const paths = PACKAGES.flatMap((name) => [`packages/${name}/src`, `packages/${name}/package.json`])
  await run('git', ['-C', ROOT, 'archive', '-o', archive, LAST_RELEASE, ...paths])
  await run('tar', ['-xf', archive, '-C', folder])
  await mkdir(join(folder, 'node_modules/@isopod'), { recursive: true })
  for (const name of PACKAGES) await install(name)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Makes a package of the release importable by its name, from its sources, and its dependencies too. */
async function install(name: string): Promise<void> {
  const manifest = join(folder, 'packages', name, 'package.json')
  const given = JSON.parse(await readFile(manifest, 'utf8'))
  await writeFile(manifest, JSON.stringify({ ...given, exports: { '.': './src/index.ts' } }))
  await symlink(join(folder, 'packages', name), join(folder, 'node_modules/@isopod', name))
  for (const dependency of Object.keys(given.dependencies ?? {})) {
    if (dependency.startsWith('@isopod/')) continue
    await symlink(join(ROOT, 'node_modules', dependency), join(folder, 'node_modules', dependency)).catch(
      () => {},
    )
  }
}

function start(role: 'worker' | 'client') {
  return spawn(process.execPath, [FIXTURE, role, folder, bench.url, bench.prefix], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** Jobs with the fields that both releases have. */
const JOBS: JobInput[] = [
  { code: 'minimal' },
  {
    ...{ code: 'full', language: 'python', stdin: 'x', args: ['a'], env: { A: 'b' }, inputData: { n: 1 } },
    ...{ files: { 'a.txt': 'text' }, fetchFiles: ['b.txt'], limits: { timeoutSeconds: 5, memoryMb: 64 } },
    ...{ policy: { mode: 'enforce', rules: 'strict' }, priority: 3, labels: { run: '1' }, cache: true },
    ...{ tenant: 't', batchId: 'b', reuse: 'batch', idempotencyKey: 'k', preload: true, stream: true },
  },
  { code: 'tests', tests: [{ stdin: '1', expected: '1' }], stopOnFirstFailure: true, repeat: 2 },
]
const OUTPUTS = ['minimal', 'full', 'tests']

// promise: mixed-releases
test('a worker of the last release runs the jobs of this client, which reads its results', async (context) => {
  context.skip(missing !== '', missing)
  const worker = start('worker')
  const client = await bench.client()
  const results = await Promise.all(JOBS.map((job) => client.run(job)))
  expect(results.map(({ stdout, workerId }) => [stdout, workerId])).toEqual(
    OUTPUTS.map((output) => [output, 'other']),
  )
  worker.stdin.end()
  expect(await once(worker, 'exit')).toEqual([0, null])
})

test('a client of the last release submits jobs to this worker, and reads its results', async (context) => {
  context.skip(missing !== '', missing)
  await bench.worker(async ({ id, job, attempt }) => sampleFullResult({ id, attempt, stdout: job.code }))
  const client = start('client')
  client.stdin.end(JSON.stringify(JOBS))
  const results: { stdout: string; status: string }[] = JSON.parse(await text(client.stdout))
  expect(results.map(({ stdout, status }) => [stdout, status])).toEqual(
    OUTPUTS.map((output) => [output, 'success']),
  )
})

// promise: large-outputs
test('a client of the last release gets the first part of a large output, marked as truncated', async (context) => {
  context.skip(missing !== '', missing)
  const stdout = 'é line\n'.repeat(100_000)
  await bench.worker(async ({ id, attempt }) => sampleFullResult({ id, attempt, stdout }))
  const client = start('client')
  client.stdin.end(JSON.stringify(JOBS.slice(0, 1)))
  const [result] = JSON.parse(await text(client.stdout))
  expect(result).toMatchObject({ status: 'success', truncated: { stdout: true } })
  expect(stdout.startsWith(result.stdout)).toBe(true)
  expect(Buffer.byteLength(result.stdout)).toBeGreaterThan(60_000)
})
