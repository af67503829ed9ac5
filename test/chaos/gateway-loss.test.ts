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

// promise: http-loss
it.concurrent('a gateway that is killed in the middle loses no execution that it has accepted', async () => {
  const [other, killed] = gateways as [Gateway, Gateway]
  const accepted: string[] = []
  let refused = 0
  const submit = async (index: number) => {
    const body = JSON.stringify({
      language: 'bash',
      code: `echo ${index}`,
      labels: { index: String(index), of: 'loss' },
    })
    const headers = { 'content-type': 'application/json' }
    try {
      const answer = await fetch(`${killed.url}/v1/executions`, { method: 'POST', headers, body })
      const { id } = (await answer.json()) as { id: string }
      if (answer.status === 202) accepted.push(id)
      if (accepted.length === 15) process.kill(killed.process.process.pid, 'SIGKILL')
    } catch {
      refused += 1
    }
  }
  for (let index = 0; index < 40; index += 4) {
    await Promise.all([0, 1, 2, 3].map((offset) => submit(index + offset)))
  }
  expect(accepted.length).toBeGreaterThanOrEqual(15)
  expect(refused).toBeGreaterThan(0)

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
  const headers = { 'content-type': 'application/json' }
  const post = async (gateway: Gateway, index: number) => {
    const jobs = Array.from({ length: 20 }, (_, job) => ({ language: 'bash', code: `echo ${index} ${job}` }))
    const body = JSON.stringify({ idempotencyKey: `batch ${index}`, jobs })
    const answer = await fetch(`${gateway.url}/v1/batches`, { method: 'POST', headers, body })
    return ((await answer.json()) as { id: string }).id
  }
  const accepted: string[] = []
  const lost: number[] = []
  const posting = Array.from({ length: 12 }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index * 5))
    try {
      accepted.push(await post(killed, index))
      if (accepted.length === 3) process.kill(killed.process.process.pid, 'SIGKILL')
    } catch {
      lost.push(index)
    }
  })
  await Promise.all(posting)
  expect(lost.length).toBeGreaterThan(0)
  for (const index of lost) accepted.push(await post(other, index))
  for (const id of accepted) {
    const answer = await fetch(`${other.url}/v1/batches/${id}?wait=60`)
    expect(await answer.json()).toMatchObject({ finished: 20, outcomes: { passed: 20 } })
  }
})
