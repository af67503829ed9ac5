import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { expect, inject, it, onTestFinished } from 'vitest'
import { NAMES } from '../bench/names.ts'
import type { Row } from '../bench/report/rows.ts'
import { containersOf } from '../support/engine.ts'
import { scaled } from '../support/time-factor.ts'

const MAIN = fileURLToPath(new URL('../bench/main.ts', import.meta.url))
const CASE = 'hello-python-idle'

// promise: benchmark
it(
  'the benchmark measures one case, judges its promises, and leaves no container, key or process',
  async () => {
    const { redisUrl, dockerHost } = inject('stack')
    const folder = await mkdtemp(join(tmpdir(), 'isopod-bench-test-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'rows.json')
    const words = [MAIN, '--quick', '--only', CASE, '--seed', '3', '--json', file, '--docs', folder]
    const run = promisify(execFile)(process.execPath, words, {
      env: { ...process.env, REDIS_URL: redisUrl, DOCKER_HOST: dockerHost },
    })
    const id = `bench-${run.child.pid}`
    const { stdout } = await run
    expect(stdout).toContain('seed 3')

    const rows = JSON.parse(await readFile(file, 'utf8')) as Row[]
    const measured = rows.filter((row) => row.case === CASE && row.metric === 'p50' && row.target === null)
    const contenders = [NAMES.dockerRun, NAMES.loop, NAMES.fresh, NAMES.freshPreload, NAMES.batch, NAMES.own]
    for (const contender of contenders) {
      const row = measured.find((one) => one.contender === contender)
      expect(row, contender).toMatchObject({ unit: 'ms', baseline: null, ratio: null, met: null })
      expect(row?.value, contender).toBeGreaterThan(0)
    }
    // The program is part of its job's memory.
    const p50 = (contender: string) =>
      measured.find((row) => row.contender === contender)?.value ?? Number.NaN
    expect(p50(NAMES.own)).toBeLessThan(p50(NAMES.fresh))

    const judged = rows.filter((row) => row.case === CASE && row.target !== null)
    expect(judged.map(({ met }) => typeof met)).toEqual(judged.map(() => 'boolean'))
    const loop = judged.find(({ baseline }) => baseline === NAMES.loop)
    expect(loop?.ratio).toBeCloseTo(p50(NAMES.loop) / p50(NAMES.fresh), 10)
    for (const row of rows.filter((one) => one.case !== CASE))
      expect(row).toMatchObject({ value: null, met: null })

    const page = await readFile(join(folder, 'README.md'), 'utf8')
    expect(page).toContain('docker run')
    for (const secret of [folder, id]) expect(page).not.toContain(secret)
    expect(await containersOf(dockerHost, id)).toEqual([])
    expect(await keysOf(redisUrl, id)).toEqual([])
  },
  scaled(240_000),
)

async function keysOf(url: string, id: string): Promise<string[]> {
  const redis = new Redis(url.replace(/^redis\+unix:\/\//, ''))
  try {
    return await redis.keys(`*${id}*`)
  } finally {
    redis.disconnect()
  }
}
