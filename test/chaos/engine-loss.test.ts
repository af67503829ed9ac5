import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

/** A way to the engine that can be cut and mended, so that no test has to stop the engine itself. */
class Bridge {
  readonly path: string
  readonly #to: string
  readonly #open = new Set<Socket>()
  #server: Server | undefined

  constructor(path: string, to: string) {
    this.path = path
    this.#to = to
  }

  async mend(): Promise<void> {
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connectSocket({ path: this.#to, allowHalfOpen: true })
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#open.add(one)
        one.on('error', () => other.destroy())
        one.on('close', () => this.#open.delete(one))
        one.pipe(other)
      }
    }).listen(this.path)
    await once(this.#server, 'listening')
  }

  async cut(): Promise<void> {
    this.#server?.close()
    for (const socket of this.#open) socket.destroy()
    await rm(this.path, { force: true })
  }
}

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
it('while the engine is gone jobs wait and the worker says so; when it is back they run', async () => {
  const running = await world.client.submit({ language: 'bash', code: 'sleep 3; echo was running' })
  await eventually(world.containers, (ids) => ids.length > 0)
  await bridge.cut()
  const readiness = () => fetch(`${world.workers[0]?.url}/readyz`)
  const down = await eventually(readiness, ({ status }) => status === 503)
  expect(await down.json()).toMatchObject({ ok: false, checks: { state: 'paused', redis: 'ok' } })
  const waiting = await world.client.submit({ language: 'bash', code: 'echo waited' })
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(await world.client.result(waiting)).toBeUndefined()

  await bridge.mend()
  expect(await world.client.wait(waiting)).toMatchObject({ status: 'success', stdout: 'waited\n' })
  expect(await world.client.wait(running)).toMatchObject({ status: 'success', stdout: 'was running\n' })
  expect((await readiness()).status).toBe(200)
})
