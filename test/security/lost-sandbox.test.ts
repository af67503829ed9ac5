import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { groupOf } from '../support/host/control-group.ts'
import { startWorld, type World } from '../support/world.ts'

const { dockerHost } = inject('stack')
const onThisHost = process.getuid?.() === 0 && dockerHost.startsWith('unix://')
let world: World

beforeEach((context) => context.skip(!onThisHost, 'needs root on the host of the containers'))

beforeAll(async () => {
  if (!onThisHost) return
  // Without a pool, so that each container has the label of its job from the beginning.
  world = await startWorld({ env: { ISOPOD_POOL_SIZE: '0', ISOPOD_SLOTS: '3' } })
  // The worker's first container installs init.
  await world.client.run({ language: 'bash', code: 'true' })
})
afterAll(() => world?.close())

const MIB = 1024 * 1024
/** Takes memory, by which the spec sees on the host that the program runs. */
const PROGRAM = `import time
print("before", flush=True)
kept = b"x" * (150 << 20)
time.sleep(60)`

/** The container of a job once its program runs. */
async function containerOf(job: string): Promise<{ readonly id: string; readonly pid: number }> {
  const found = await eventually(
    async () => {
      const container = await docker(dockerHost, 'ps', '-q', '--filter', `label=isopod.job=${job}`)
      if (container === '') return undefined
      const format = ['inspect', '-f', '{{.Id}} {{.State.Pid}}', container]
      const [id = '', pid] = (await docker(dockerHost, ...format).catch(() => '')).split(' ')
      if (pid === undefined) return undefined
      return (groupOf(id)?.read()?.memoryPeak ?? 0) > 150 * MIB ? { id, pid: Number(pid) } : undefined
    },
    (container) => container !== undefined,
  )
  if (found === undefined) throw new Error('the program does not run')
  return found
}

async function parentOf(pid: number): Promise<number> {
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(parent)
}

// A program can end its container only by using up its memory, which leaves a trace in the cgroup.
// promise: no-false-blame
it.concurrent.for([
  ['its first process, which under gVisor is the whole sandbox', ({ pid }) => process.kill(pid, 'SIGKILL')],
  ['its shim', async ({ pid }) => process.kill(await parentOf(pid), 'SIGKILL')],
  ['the whole container through the engine', ({ id }) => docker(dockerHost, 'kill', id)],
] satisfies [string, (container: Awaited<ReturnType<typeof containerOf>>) => unknown][])(
  'somebody who kills %s is not the program, and the job runs again',
  async ([, kill]) => {
    const id = await world.client.submit({ language: 'python', code: PROGRAM })
    await kill(await containerOf(id))
    const failed = await eventually(
      async () => (await world.log()).find((line) => line['event'] === 'setup_failed' && line['job'] === id),
      (line) => line !== undefined,
      60_000,
    )
    expect(failed).toMatchObject({
      attempt: 1,
      error: 'the container was ended from outside (exit code 137)',
    })
    await world.client.cancel(id)
    expect(await world.client.wait(id)).toMatchObject({ status: 'cancelled', attributable: false })
  },
)
