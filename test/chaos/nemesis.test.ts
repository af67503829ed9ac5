import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import type { ChaosReport } from '../nemesis/report/report.ts'

const MAIN = fileURLToPath(new URL('../nemesis/main.ts', import.meta.url))
const FAULTS = ['redis-killed', 'worker-terminated']

// promise: chaos
it('a short run of the nemesis breaks two things, and the checker finds nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-chaos-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'outcomes.json')
  const words = [MAIN, '--quick', '--seed', '15', '--json', file, '--only', ...FAULTS]
  // It exits with 1 for findings, which the file has in words.
  await promisify(execFile)(process.execPath, words).catch(() => {})
  const { outcomes, notMade } = JSON.parse(await readFile(file, 'utf8')) as ChaosReport
  expect(notMade).toEqual([])
  expect(outcomes.map(({ fault }) => fault).sort()).toEqual([...FAULTS].sort())
  for (const outcome of outcomes) {
    expect(outcome.jobs).toBeGreaterThanOrEqual(45)
    expect(outcome).toMatchObject({ lost: [], doubled: [], wrong: [], left: [] })
    expect(outcome.recoverySeconds).toBeGreaterThan(0)
  }
})
