import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IMAGES, stackPaths, USUAL_IMAGES } from '@isopod/devstack'
import { expect, it, onTestFinished } from 'vitest'
import { processRoots } from '../../../../test/support/process-roots.ts'
import { DEMO_JOBS } from '../../src/demo/jobs.ts'
import { isopod } from './isopod.ts'

const MINUTES = 60_000

// promise: stack-without-engine
it('isopod demo --driver process ends every job as expected without an engine, and down removes what a killed worker left', {
  timeout: 5 * MINUTES,
}, async () => {
  const roots = await processRoots(USUAL_IMAGES.map((name) => IMAGES[name]))
  const folder = await mkdtemp(join(tmpdir(), 'isopod-demo-process-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = {
    // Nothing answers here, so that no engine can be used by mistake.
    DOCKER_HOST: `unix://${folder}/absent.sock`,
    REDIS_URL: '',
    ISOPOD_STATE_DIR: join(folder, 'state'),
    ISOPOD_ROOTS_DIR: roots,
  }
  onTestFinished(() => isopod(['down', '--purge'], { env }).then(() => {}))
  const demo = await isopod(['demo', '--driver', 'process', '--json'], { env })
  expect(demo).toMatchObject({ exitCode: 0 })
  const lines = String(demo.stdout).trimEnd().split('\n')
  const results = lines.map((line) => JSON.parse(line) as { name: string; ok: boolean; result: object })
  expect(results.map(({ name, ok }) => [name, ok])).toEqual(DEMO_JOBS.map(({ name }) => [name, true]))
  expect(results[0]?.result).toMatchObject({ isolation: { driver: 'process' } })

  const paths = stackPaths({ ...process.env, ...env })
  const record = JSON.parse(await readFile(paths.record, 'utf8'))
  expect(record).not.toHaveProperty('engine')
  expect(record.workers).toHaveLength(1)
  // Its places wait for sandboxes, with records and cgroups.
  const cgroups = await recordedCgroups(paths.sandboxes)
  expect(cgroups.length).toBeGreaterThan(0)
  process.kill(record.workers[0].process.pid, 'SIGKILL')
  const down = await isopod(['down', '--purge'], { env })
  expect(down).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('that a worker has left') })
  for (const path of [...cgroups, paths.sandboxes, paths.runtime, paths.state]) {
    await expect(access(path), path).rejects.toThrow('ENOENT')
  }
})

/** Directories of all cgroups that records name. */
async function recordedCgroups(state: string): Promise<string[]> {
  const names = (await readdir(join(state, 'records'))).filter((name) => /^[0-9a-f]{64}$/.test(name))
  const records = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(state, 'records', name), 'utf8'))),
  )
  return records.flatMap(({ cgroup, folders = [] }) => [...Object.values<string>(cgroup), ...folders])
}
