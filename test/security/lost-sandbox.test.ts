import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { groupOf } from '../support/host/control-group.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

const { dockerHost } = inject('stack')
const onThisHost = process.getuid?.() === 0 && dockerHost.startsWith('unix://')
let world: World

beforeEach((context) => context.skip(!onThisHost, 'needs root on the host of the containers'))

beforeAll(async () => {
  if (!onThisHost) return
  // Without a pool, so that the only container is the job's.
  world = await startWorld({ env: { ISOPOD_POOL_SIZE: '0' } })
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

/** Kills a container's first process on the host once its program runs: init, or under gVisor the whole sandbox. */
async function killFirstProcess(): Promise<void> {
  const found = await eventually(
    async () => {
      const [container] = await world.containers()
      if (container === undefined) return undefined
      const output = await docker(dockerHost, 'inspect', '-f', '{{.Id}} {{.State.Pid}}', container).catch(
        () => '',
      )
      const [id = '', pid] = output.split(' ')
      if (pid === undefined) return undefined
      return (groupOf(id)?.read()?.memoryPeak ?? 0) > 150 * MIB ? Number(pid) : undefined
    },
    (pid) => pid !== undefined,
  )
  if (found !== undefined) process.kill(found, 'SIGKILL')
}

if (RUNTIME === 'runsc') {
  // Under gVisor a program can bring this about only by using up its memory, which leaves a trace in the cgroup.
  it('gVisor that is killed without a visible reason is a fault of the platform, and the job runs again', async () => {
    const id = await world.client.submit({ language: 'python', code: PROGRAM })
    await killFirstProcess()
    const failed = await eventually(
      async () => (await world.log()).find((line) => line['event'] === 'setup_failed' && line['job'] === id),
      (line) => line !== undefined,
      60_000,
    )
    expect(failed).toMatchObject({ attempt: 1, error: 'gVisor was killed, and nothing says for what' })
    await world.client.cancel(id)
    expect(await world.client.wait(id)).toMatchObject({ status: 'cancelled', attributable: false })
  })
} else {
  it('a container that ends under its program is attributed to the program and not run again', async () => {
    const id = await world.client.submit({ language: 'python', code: PROGRAM })
    await killFirstProcess()
    expect(await world.client.wait(id)).toMatchObject({
      stdout: 'before\n',
      status: 'execution_error',
      exitCode: null,
      signal: 'SIGKILL',
      attributable: true,
      attempt: 1,
      errorMessage: 'Program brought its sandbox to an end',
    })
    expect(await world.client.run({ language: 'bash', code: 'echo next' })).toMatchObject({
      stdout: 'next\n',
    })
  })
}
