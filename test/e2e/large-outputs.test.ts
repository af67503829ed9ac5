import type { JobInput, Result } from '@isopod/client'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isopod } from '../../apps/cli/test/system/isopod.ts'
import { startReceiver } from '../../packages/webhooks/test/receiver.ts'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0 })
  const env = {
    ISOPOD_GATEWAY_DROP_INS: 'piston,judge0,sandboxfusion',
    ISOPOD_GATEWAY_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 'x').toString('base64')}`,
    ISOPOD_GATEWAY_WEBHOOK_ALLOW: '127.0.0.1',
  }
  ;[gateway] = await Promise.all([startTestGateway(world, env), world.addWorker()])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join('')
const COUNT = 300_000
const WHOLE = lines(COUNT)
const JOB: JobInput = {
  language: 'bash',
  code: `seq 1 ${COUNT}; seq 1 20000 >&2`,
  limits: { outputBytes: 10 * 1024 * 1024 },
}
/** Not compared by `toEqual`, whose message would have megabytes. */
const isWhole = ({ stdout, stderr, truncated }: Pick<Result, 'stdout' | 'stderr' | 'truncated'>) => [
  stdout === WHOLE,
  stderr === lines(20_000),
  truncated,
]
const YES = [true, true, { stdout: false, stderr: false }]

async function post(path: string, body: unknown) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  // biome-ignore lint/suspicious/noExplicitAny: specs say what they expect of each answer.
  return (await answer.json()) as any
}

// promise: large-outputs
it('a client gets large outputs whole: from run, by id, from a results queue, from a batch and from the cache', async () => {
  const { client } = world
  const cached = { ...JOB, code: 'seq 1 20000; seq 1 20000 >&2', cache: true }
  const first = await client.run(cached)
  expect(first.stdout === lines(20_000)).toBe(true)
  const hit = await client.run(cached)
  expect([hit.cached, hit.stdout === first.stdout, hit.truncated.stdout]).toEqual([true, true, false])

  const result = await client.run(JOB)
  expect(isWhole(result)).toEqual(YES)
  const redis = new Redis(world.redisUrl.replace('redis+unix://', ''))
  const stored = await redis.strlen(`{${world.prefix}}:result:${result.id}`)
  redis.disconnect()
  expect(stored).toBeLessThan(200_000)
  const again = await client.result(result.id)
  expect(again).toEqual(result)
  const shortened = await client.result(result.id, { shortened: true })
  expect([shortened?.stdout.length, shortened?.truncated.stdout]).toEqual([64 * 1024, true])

  const { promise, resolve } = Promise.withResolvers<Result>()
  const consumer = client.results(async (one) => resolve(one), { replyTo: 'large' })
  await client.submit({ ...JOB, replyTo: 'large' })
  expect(isWhole(await promise)).toEqual(YES)
  await consumer.close()

  for await (const sample of client.batch({ samples: [{ id: 's', problem: 'p', job: JOB }] })) {
    expect(sample.result && isWhole(sample.result)).toEqual(YES)
  }
})

// promise: large-outputs
it('the gateway answers with large outputs whole, and so do its downloads, webhooks and drop-ins', async () => {
  const receiver = await startReceiver()
  const { id } = await post('/v1/executions', { ...JOB, callbackUrl: receiver.url })
  const execution = await (await fetch(`${gateway.url}/v1/executions/${id}?wait=30`)).json()
  expect(isWhole((execution as { result: Result }).result)).toEqual(YES)
  const download = await fetch(`${gateway.url}/v1/executions/${id}/output/stdout`)
  expect((await download.text()) === WHOLE).toBe(true)
  await eventually(
    async () => receiver.received.length,
    (count) => count > 0,
  )
  expect(isWhole(JSON.parse(receiver.received[0]?.body ?? '').data.result)).toEqual(YES)
  const code = 'seq 1 15000'
  const piston = await post('/api/v2/execute', { language: 'bash', version: '*', files: [{ content: code }] })
  expect(piston.run.stdout === lines(15_000)).toBe(true)
  const fusion = await post('/run_code', { language: 'bash', code })
  expect(fusion.run_result.stdout === lines(15_000)).toBe(true)
  const judge0 = await post('/submissions?wait=true', { language_id: 46, source_code: code })
  expect(judge0.stdout === lines(15_000)).toBe(true)
})

// promise: large-outputs
it('the command line prints large outputs whole, from `run` and from `result`', async () => {
  const env = { REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix }
  const ran = await isopod(['run', '-', '--language', 'bash'], { env, stdin: 'seq 1 15000' })
  expect(ran.stdout.toString() === lines(15_000)).toBe(true)
  const id = await world.client.submit({ ...JOB, replyTo: 'none' })
  await world.client.wait(id)
  const { stdout, stderr, exitCode } = await isopod(['result', id], { env })
  expect([exitCode, stdout.toString() === WHOLE]).toEqual([0, true])
  expect(stderr.endsWith('MiB\n')).toBe(true)
})
