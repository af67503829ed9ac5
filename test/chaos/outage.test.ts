import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IMAGES } from '@isopod/devstack'
import { Queue } from 'bullmq'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Bridge } from '../support/bridge.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

const { dockerHost, redisUrl } = inject('stack')
const LATE = `isopod/late:${process.pid}`

let folder: string
let bridge: Bridge
let world: World
let jobs: Queue

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-outage-'))
  bridge = new Bridge(join(folder, 'docker.sock'), dockerHost.replace(/^unix:\/\//, ''))
  await bridge.mend()
  const shell = { filename: 'main.sh', command: ['bash', '{filename}'] }
  const file = join(folder, 'languages.json')
  await writeFile(
    file,
    JSON.stringify({ bash: { image: IMAGES.bash, ...shell }, late: { image: LATE, ...shell } }),
  )
  world = await startWorld({
    workersDockerHost: `unix://${bridge.path}`,
    env: { SANDBOX_LANGUAGE_CONFIG_FILE: file },
  })
  jobs = new Queue('jobs', {
    connection: { path: redisUrl.replace(/^redis\+unix:\/\//, '') },
    prefix: `{${world.prefix}}`,
  })
})

afterAll(async () => {
  await bridge?.mend().catch(() => {})
  await jobs?.close()
  await world?.close()
  await bridge?.cut()
  await docker(dockerHost, 'rmi', LATE).catch(() => {})
  await rm(folder, { recursive: true, force: true })
})

/** Submits a job that a single fault of the platform uses up. */
async function submitWithOneTry(language: string, code: string): Promise<string> {
  const jobId = `once-${randomUUID()}`
  await jobs.add('execute', { language, code }, { jobId, attempts: 1, removeOnComplete: true })
  return jobId
}

/** The value of one counter of the worker; 0 while it has none. */
async function counted(name: string, reason: string): Promise<number> {
  const text = await (await fetch(`${world.workers[0]?.url}/metrics`)).text()
  return Number(new RegExp(`^${name}\\{reason="${reason}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
}

// promise: exactly-once
it('a job whose image is missing waits until it is back, and uses up no try', async () => {
  const id = await submitWithOneTry('late', 'echo well')
  const deferrals = () => counted('isopod_job_deferrals_total', 'image')
  expect(await eventually(deferrals, (count) => count > 0)).toBeGreaterThan(0)
  await docker(dockerHost, 'tag', IMAGES.bash, LATE)
  expect(await world.client.wait(id)).toMatchObject({ status: 'success', stdout: 'well\n' })
  expect(await counted('isopod_job_retries_total', 'image')).toBe(0)
})

it('a job that loses its engine waits until it is back, and uses up no try', async () => {
  const lost = Promise.withResolvers<void>()
  bridge.onOutput('started\n', () => lost.resolve(bridge.cut()))
  const id = await submitWithOneTry('bash', 'echo started; sleep 1; echo well')
  await lost.promise
  const deferrals = () => counted('isopod_job_deferrals_total', 'engine')
  expect(await eventually(deferrals, (count) => count > 0)).toBeGreaterThan(0)
  await bridge.mend()
  expect(await world.client.wait(id)).toMatchObject({ status: 'success', stdout: 'started\nwell\n' })
})
