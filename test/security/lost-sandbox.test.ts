import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { groupOf } from '../support/host/control-group.ts'
import { firstProcess } from '../support/host-view.ts'
import { DRIVER } from '../support/runtime.ts'
import { recordedSandboxes } from '../support/sandboxes.ts'
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
      const id = DRIVER === 'process' ? await sandboxOf(job) : await labelled(job)
      if (id === undefined || (groupOf(id)?.read()?.memoryPeak ?? 0) <= 150 * MIB) return undefined
      const pid = await firstProcess(dockerHost, id).catch(() => undefined)
      return pid === undefined ? undefined : { id, pid: Number(pid) }
    },
    (container) => container !== undefined,
  )
  if (found === undefined) throw new Error('the program does not run')
  return found
}

async function sandboxOf(job: string): Promise<string | undefined> {
  return (await recordedSandboxes(world.sandboxState)).find((sandbox) => sandbox.job === job)?.id
}

async function labelled(job: string): Promise<string | undefined> {
  const filter = ['--filter', `label=isopod.job=${job}`]
  return (await docker(dockerHost, 'ps', '-q', '--no-trunc', ...filter)) || undefined
}

async function parentOf(pid: number): Promise<number> {
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(parent)
}

type Ending = [
  what: string,
  kill: (container: { readonly id: string; readonly pid: number }) => unknown,
  dockerOnly?: 'engine',
]

// A program can end its container only by using up its memory, which leaves a trace in the cgroup.
// promise: no-false-blame
it.concurrent.for([
  ['its first process, which under gVisor is the whole sandbox', ({ pid }) => process.kill(pid, 'SIGKILL')],
  // The parent of a process sandbox makes those of all jobs, so its end has a test of its own.
  ['its shim', async ({ pid }) => process.kill(await parentOf(pid), 'SIGKILL'), 'engine'],
  ['the whole container through the engine', ({ id }) => docker(dockerHost, 'kill', id), 'engine'],
] satisfies Ending[])(
  'somebody who kills %s is not the program, and the job runs again',
  async ([, kill, dockerOnly], context) => {
    if (dockerOnly !== undefined) skipUnlessDocker(context, dockerOnly)

    const id = await world.client.submit({ language: 'python', code: PROGRAM })
    await kill(await containerOf(id))
    const failed = await eventually(
      async () => (await world.log()).find((line) => line['event'] === 'setup_failed' && line['job'] === id),
      (line) => line !== undefined,
      60_000,
    )
    expect(failed).toMatchObject({
      attempt: 1,
      error:
        DRIVER === 'process'
          ? 'the sandbox was ended from outside (signal 9)'
          : 'the container was ended from outside (exit code 137)',
    })
    await world.client.cancel(id)
    expect(await world.client.wait(id)).toMatchObject({ status: 'cancelled', attributable: false })
  },
)

// promise: no-false-blame
it('somebody who kills the program that makes process sandboxes is no program of a job, and its jobs run again', async (context) => {
  context.skip(
    DRIVER !== 'process',
    'the docker driver makes no sandboxes itself; npm run test:process runs this',
  )

  const id = await world.client.submit({ language: 'python', code: PROGRAM })
  const { pid } = await containerOf(id)
  process.kill(await parentOf(pid), 'SIGKILL')
  const failed = await eventually(
    async () => (await world.log()).find((line) => line['event'] === 'setup_failed' && line['job'] === id),
    (line) => line !== undefined,
    60_000,
  )
  expect(failed).toMatchObject({ attempt: 1 })
  // The worker has started it again.
  expect(await world.client.run({ language: 'bash', code: 'echo on' })).toMatchObject({ stdout: 'on\n' })
  await world.client.cancel(id)
  expect(await world.client.wait(id)).toMatchObject({ status: 'cancelled', attributable: false })
})
