import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isopod } from '../../apps/cli/test/system/isopod.ts'
import { expireLocks, killWorker } from '../support/crash.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

const ALL = fileURLToPath(new URL('../data/mbpp.jsonl.gz', import.meta.url))
const SAMPLES = SOAK ? 974 : 100
const folder = mkdtempSync(join(tmpdir(), 'isopod-grade-loss-'))
const DATA = join(folder, 'mbpp.jsonl')
let world: World

beforeAll(async () => {
  const problems = gunzipSync(readFileSync(ALL)).toString('utf8').split('\n')
  writeFileSync(DATA, `${problems.slice(0, SAMPLES).join('\n')}\n`)
  world = await startWorld({ workers: 2, env: { ISOPOD_SLOTS: '2' } })
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world?.close()
})

/** Number of jobs that a worker has finished. */
async function finished(worker: number): Promise<number> {
  return (await world.log(worker)).filter(({ event }) => event === 'finished').length
}

// promise: batch-resume
it(
  `grading loses, duplicates and changes none of ${SAMPLES} verdicts when worker and producer are killed in the middle`,
  async () => {
    const out = join(folder, 'results.jsonl')
    // The timeout is long enough for the slowest program on a busy host.
    const how = ['--reference', '--reuse', 'batch', '--preload', '--timeout', '60']
    const args = ['grade', '--dataset', 'mbpp', DATA, ...how, '--out', out]
    const env = { REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix }
    const kills: ((signal: NodeJS.Signals) => void)[] = []
    const first = isopod(args, { env, onStarted: (kill) => void kills.push(kill) })
    const counts = await eventually(
      () => Promise.all([finished(0), finished(1)]),
      (both) => Math.max(...both) > SAMPLES / 10,
      60_000,
    )
    const killed = counts.indexOf(Math.max(...counts))
    await killWorker(world, killed)
    for (const kill of kills) kill('SIGKILL')
    await first
    expect((await finished(0)) + (await finished(1))).toBeLessThan(SAMPLES)
    await expireLocks(world, killed)
    await world.addWorker()

    const { exitCode, stdout, stderr } = await isopod(args, { env })
    expect(stderr).toMatch(/[1-9]\d* of the samples were judged by an earlier run/)
    expect(stdout.toString()).toContain(
      `${SAMPLES} problems, ${SAMPLES} solved; ${SAMPLES} samples, ${SAMPLES} passed`,
    )
    expect(exitCode).toBe(0)
    const rows = readFileSync(out, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ passed }) => passed)).toEqual(Array(SAMPLES).fill(true))
    expect(new Set(rows.map((row) => row.task_id)).size).toBe(SAMPLES)
    // Removes the containers of the killed worker at once; `worker-loss.test.ts` shows that a reaper does so.
    for (const [index, worker] of world.workers.entries()) if (index !== killed) await worker.stop()
    const left = await world.containers()
    if (left.length > 0) await docker(world.dockerHost, 'rm', '--force', ...left)
  },
  scaled(240_000),
)
