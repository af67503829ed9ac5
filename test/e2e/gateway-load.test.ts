import { readFile } from 'node:fs/promises'
import { connect, type IsopodClient } from '@isopod/client'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'

const CALLERS = 2_000
const READERS = 200
const MAX_MB = 300
/** Jobs submitted or cancelled at once: on a slow host, more of them take longer than the client waits for Redis. */
const AT_ONCE = 200

const prefix = `test-load-${process.pid}`
let gateway: Gateway
let client: IsopodClient

beforeAll(async () => {
  const { redisUrl } = inject('stack')
  client = await connect({ url: redisUrl, prefix })
  gateway = await startTestGateway({ redisUrl, prefix })
})

afterAll(async () => {
  await gateway?.close()
  await client?.close()
})

async function residentMb(): Promise<number> {
  const status = await readFile(`/proc/${gateway.process.process.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** The gauge of the gateway's own metrics. */
async function inFlight(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  return Number(/^isopod_gateway_requests_in_flight (\d+)/m.exec(text)?.[1])
}

// promise: http-load
it(`${CALLERS} waiting callers and ${READERS} readers of events all get their results, and the gateway needs at most ${MAX_MB} MB`, async () => {
  // Without a worker the jobs wait until the test cancels them all, so that all answers arrive together.
  const jobs = Array.from({ length: CALLERS }, (_, index) => ({
    code: 'x',
    labels: { index: String(index) },
  }))
  const ids: string[] = []
  while (ids.length < CALLERS) {
    ids.push(...(await client.submitMany(jobs.slice(ids.length, ids.length + AT_ONCE))))
  }
  const waiting = ids.map(async (id) => {
    const answer = await fetch(`${gateway.url}/v1/executions/${id}?wait=60`)
    return (await answer.json()) as { id: string; result: { id: string; status: string } | null }
  })
  const following = ids.slice(0, READERS).map(async (id) => {
    const answer = await fetch(`${gateway.url}/v1/executions/${id}/events`)
    return await answer.text()
  })
  // Event streams get their headers at once; waiting requests have none yet.
  expect(await eventually(inFlight, (count) => count > CALLERS, 30_000)).toBeGreaterThan(CALLERS)
  const whileWaiting = await residentMb()
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => client.cancel(id)))
  }
  const answers = await Promise.all(waiting)
  const streams = await Promise.all(following)
  expect(answers.map(({ id, result }) => [id, result?.id, result?.status])).toEqual(
    ids.map((id) => [id, id, 'cancelled']),
  )
  expect(streams.filter((text) => !text.includes('event: finished'))).toEqual([])
  const mb = Math.max(whileWaiting, await residentMb())
  console.log(`gateway: ${mb.toFixed(0)} MB with ${CALLERS} callers and ${READERS} readers`)
  expect(mb).toBeLessThanOrEqual(MAX_MB)
})
