import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Bridge } from '../support/bridge.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

let folder: string
let bridge: Bridge
let world: World

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-bridge-'))
  const engine = inject('stack').dockerHost.replace(/^unix:\/\//, '')
  bridge = new Bridge(join(folder, 'docker.sock'), engine)
  await bridge.mend()
  world = await startWorld({ workersDockerHost: `unix://${bridge.path}` })
})

afterAll(async () => {
  await bridge?.mend().catch(() => {})
  await world?.close()
  await bridge?.cut()
  await rm(folder, { recursive: true, force: true })
})

// promise: exactly-once
it('jobs wait and the worker is not ready while the engine is gone; they run when it is back', async () => {
  const running = await world.client.submit({ language: 'bash', code: 'sleep 3; echo was running' })
  await eventually(world.containers, (ids) => ids.length > 0)
  await bridge.cut()
  const readiness = () => fetch(`${world.workers[0]?.url}/readyz`)
  const down = await eventually(readiness, ({ status }) => status === 503)
  expect(await down.json()).toMatchObject({ ok: false, checks: { state: 'paused', redis: 'ok' } })
  const waiting = await world.client.submit({ language: 'bash', code: 'echo waited' })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(await world.client.result(waiting)).toBeUndefined()

  await bridge.mend()
  expect(await world.client.wait(waiting)).toMatchObject({ status: 'success', stdout: 'waited\n' })
  expect(await world.client.wait(running)).toMatchObject({ status: 'success', stdout: 'was running\n' })
  expect((await readiness()).status).toBe(200)
})

it('a job runs again after its connection to the container broke; it is not reported as ended', async () => {
  bridge.onOutput('the\n', () => bridge.cutAttached())
  const result = await world.client.run({ language: 'bash', code: 'echo the; sleep 1; echo whole' })
  expect(result).toMatchObject({ status: 'success', stdout: 'the\nwhole\n', attempt: 2 })
})

// promise: no-false-blame
it('a program is not blamed for a timeout while the engine stands still', async () => {
  const limits = { timeoutSeconds: 5, outputBytes: 10_000_000 }
  const codes = [
    // Init's report of the end waits in the engine.
    'echo the; sleep 1; echo whole',
    // The output waits in the engine, so the program waits, too.
    'echo the; sleep 1; head -c 1000000 /dev/zero | tr "\\0" x; echo; echo whole',
  ]
  const ids = await Promise.all(
    codes.map((code) => world.client.submit({ language: 'bash', code, limits, stream: true })),
  )
  for (const id of ids) {
    for await (const { type } of world.client.events(id)) if (type === 'stdout') break
  }
  bridge.freeze()
  const unready = () => fetch(`${world.workers[0]?.url}/readyz`)
  await eventually(unready, ({ status }) => status === 503)
  await new Promise((resolve) => setTimeout(resolve, 8_000))
  bridge.thaw()
  for (const result of await Promise.all(ids.map((id) => world.client.wait(id)))) {
    expect(result).toMatchObject({ status: 'success', stdout: expect.stringMatching(/whole\n$/) })
  }
})

it('no job fails when the connection breaks while a new worker verifies init in its volume', async () => {
  bridge.breakAnswerTo(/^GET \S*\/archive\?/)
  // Before its first container, a new worker reads init from its volume and verifies its content.
  const worker = await world.addWorker()
  await world.workers[0]?.stop()
  expect(await world.client.run({ language: 'bash', code: 'echo whole' })).toMatchObject({
    status: 'success',
    stdout: 'whole\n',
  })
  expect(bridge.waitsToBreak).toBe(false)
  await worker.stop()
})
