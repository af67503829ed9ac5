import { afterAll, beforeAll, expect, it } from 'vitest'
import { SIMULATED_LAUNCHER, simulatedSettings } from '../bench/cases/simulated.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let gateways: Gateway[] = []

beforeAll(async () => {
  // Simulated containers, because only the duration of the programs matters to a gateway.
  world = await startWorld({ launcher: SIMULATED_LAUNCHER, env: simulatedSettings(100, 8) })
  gateways = await Promise.all([startTestGateway(world), startTestGateway(world), startTestGateway(world)])
})

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()))
  await world?.close()
})

/**
 * Lets four callers post to a gateway until it is gone; it is killed after it has accepted `count` posts. At least the last
 * post of each caller is lost.
 */
async function postUntilGone(gateway: Gateway, count: number, post: (index: number) => Promise<string>) {
  const accepted: string[] = []
  const lost: number[] = []
  let posts = 0
  const call = async () => {
    for (;;) {
      const index = posts++
      try {
        accepted.push(await post(index))
      } catch {
        lost.push(index)
        return
      }
      if (accepted.length === count) process.kill(gateway.process.process.pid, 'SIGKILL')
    }
  }
  await Promise.all([call(), call(), call(), call()])
  expect(accepted.length).toBeGreaterThanOrEqual(count)
  return { accepted, lost }
}

/** Posts JSON. Returns the id of what was accepted; rejects without an acceptance. */
async function post(url: string, content: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(content) })
  const { id } = (await answer.json()) as { id: string }
  if (answer.status !== 202) throw new Error(`not accepted: ${answer.status}`)
  return id
}

// promise: http-loss
it.concurrent('a gateway that is killed in the middle loses no execution that it has accepted', async () => {
  const [other, killed] = gateways as [Gateway, Gateway]
  const { accepted } = await postUntilGone(killed, 15, (index) =>
    post(`${killed.url}/v1/executions`, {
      language: 'bash',
      code: `echo ${index}`,
      labels: { index: String(index), of: 'loss' },
    }),
  )

  const answers = await Promise.all(
    accepted.map(async (id) => {
      const answer = await fetch(`${other.url}/v1/executions/${id}?wait=60`)
      return (await answer.json()) as {
        result: { status: string; stdout: string; labels: { index: string } }
      }
    }),
  )
  for (const { result } of answers) {
    expect(result).toMatchObject({ status: 'success', stdout: `${result.labels.index}\n` })
  }
  // The list of executions has all accepted ones, too.
  const list = await fetch(`${other.url}/v1/executions?label=of%3Dloss&limit=200`)
  const { executions } = (await list.json()) as { executions: { id: string }[] }
  const listed = new Set(executions.map(({ id }) => id))
  expect(accepted.filter((id) => !listed.has(id))).toEqual([])
})

// promise: http-loss
it.concurrent('a batch that a killed gateway accepted can be followed on another one, and other batches can be sent again', async () => {
  const [other, , killed] = gateways as [Gateway, Gateway, Gateway]
  const postBatch = ({ url }: Gateway, index: number) => {
    const jobs = Array.from({ length: 20 }, (_, job) => ({ language: 'bash', code: `echo ${index} ${job}` }))
    return post(`${url}/v1/batches`, { idempotencyKey: `batch ${index}`, jobs })
  }
  const { accepted, lost } = await postUntilGone(killed, 3, (index) => postBatch(killed, index))
  for (const index of lost) accepted.push(await postBatch(other, index))
  for (const id of accepted) {
    const answer = await fetch(`${other.url}/v1/batches/${id}?wait=60`)
    expect(await answer.json()).toMatchObject({ finished: 20, outcomes: { passed: 20 } })
  }
})
