import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { IMAGES } from '@isopod/devstack'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { expireLease, expireLocks, killWorker } from '../support/crash.ts'
import { eventually } from '../support/eventually.ts'
import { processRoots } from '../support/process-roots.ts'
import { startWorld } from '../support/world.ts'

beforeEach((context) =>
  context.skip(process.getuid?.() !== 0, 'only root has cgroups and users to give away'),
)

/** Directories of cgroups that the records in a state directory name: of sandboxes, and of their worker. */
async function recordedDirectories(state: string): Promise<string[]> {
  const names = (await readdir(join(state, 'records'))).filter((name) => /^[0-9a-f]{64}$/.test(name))
  const texts = await Promise.all(
    names.map((name) => readFile(join(state, 'records', name), 'utf8').catch(() => '')),
  )
  const all = texts
    .filter((text) => text !== '')
    .flatMap((text) => {
      const { cgroup, folders } = JSON.parse(text) as { cgroup: Record<string, string>; folders: string[] }
      return [...Object.values(cgroup), ...folders]
    })
  return [...new Set(all)]
}

/** Ids of processes with this text in their command line, cgroups or mounts. */
async function processesWith(texts: readonly string[]): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const files = ['cmdline', 'cgroup', 'mountinfo'].map((name) => `/proc/${pid}/${name}`)
      const seen = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
      return texts.some((text) => seen.join('\n').includes(text)) ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

// promise: exactly-once
it('a worker that is killed together with its spawner leaves no process, mount, cgroup, file or socket once the next one has started', async () => {
  const state = await mkdtemp('/run/isopod-killed-')
  onTestFinished(() => rm(state, { recursive: true, force: true }))
  const world = await startWorld({
    env: {
      ISOPOD_DRIVER: 'process',
      ISOPOD_ROOTS_DIR: await processRoots([IMAGES.bash]),
      ISOPOD_SANDBOX_STATE_DIR: state,
      ISOPOD_SLOTS: '2',
    },
  })
  onTestFinished(() => world.close())
  const submit = () => world.client.submit({ language: 'bash', code: 'echo started; sleep 3', stream: true })
  const jobs = await Promise.all([submit(), submit()])
  for (const id of jobs) {
    for await (const { type } of world.client.events(id)) if (type === 'stdout') break
  }
  const directories = await recordedDirectories(state)
  const folders = [...new Set(directories.map((path) => /\/isopod-[0-9a-f]+/.exec(path)?.[0] ?? path))]
  const spawners = await processesWith([`${state}/records/spawner-`])
  expect([directories.length > 2, folders.length, spawners.length > 0]).toEqual([true, 1, true])
  expect((await processesWith(folders)).length).toBeGreaterThan(1)
  await killWorker(world)
  // Before it hears of the end of the worker.
  for (const pid of spawners) process.kill(pid, 'SIGKILL')
  const sockets = (await readdir(join(state, 'records'))).filter((name) => name.endsWith('.sock'))
  expect(sockets).toHaveLength(1)

  await Promise.all([expireLease(world), expireLocks(world)])
  await world.addWorker()
  const left = async () => [
    ...directories.filter((path) => existsSync(path)),
    ...(await processesWith(folders)).map(String),
    ...(await readdir(join(state, 'records'))).filter((name) => sockets.includes(name)),
  ]
  expect(await eventually(left, (found) => found.length === 0, 70_000)).toEqual([])
  await Promise.all(jobs.map((id) => world.client.wait(id)))

  const own = await recordedDirectories(state)
  await world.workers[1]?.stop()
  expect(await readdir(join(state, 'records'))).toEqual([])
  expect(own.filter((path) => existsSync(path))).toEqual([])
  expect(await processesWith([state])).toEqual([])
})
