import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0, env: WITHOUT_RETRIES })
  ;[gateway] = await Promise.all([startTestGateway(world), world.addWorker()])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

const run = promisify(execFile)

/** Runs curl like the plan's verification steps, some of which send JSON without a content type. */
async function curl(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run('curl', ['-sS', ...args])
  return JSON.parse(stdout)
}

const execute = (body: object, ...args: string[]) =>
  curl('-X', 'POST', `${gateway.url}/execute`, '-d', JSON.stringify(body), ...args)

const JSON_TYPE = ['-H', 'Content-Type: application/json']

// promise: service-plan
describe.concurrent('the verification steps of the service plan', () => {
  it('health check', async () => {
    expect(await curl(`${gateway.url}/health`)).toEqual({ status: 'healthy' })
  })

  it('simple execution', async () => {
    const answer = await execute({ code: 'print(1 + 1)', timeout_seconds: 5 }, ...JSON_TYPE)
    expect(answer).toEqual({
      success: true,
      stdout: '2\n',
      stderr: '',
      exit_code: 0,
      execution_time_ms: expect.any(Number),
      error: null,
      validation_errors: null,
    })
  })

  it('input data works', async () => {
    const code = 'import json\nprint(sum(input_data["nums"]))'
    expect(await execute({ code, input_data: { nums: [1, 2, 3] } }, ...JSON_TYPE)).toMatchObject({
      success: true,
      stdout: '6\n',
    })
  })

  it.each([
    [{ input_data: null }, 'None'],
    [{ input_data: [1, 'ü', true] }, "[1, 'ü', True]"],
    [{ input_data: 0.5 }, '0.5'],
    [{}, '{}'],
  ])('%j is the variable as it was sent', async (input, shown) => {
    expect(await execute({ code: 'print(input_data)', ...input }, ...JSON_TYPE)).toMatchObject({
      stdout: `${shown}\n`,
    })
  })

  it('dangerous code is blocked before it runs', async () => {
    expect(await execute({ code: 'import os; os.system("ls")' })).toMatchObject({
      success: false,
      stdout: '',
      validation_errors: ['Blocked import: os'],
    })
  })

  it('the network is blocked, by the policy and by the container', async () => {
    const code = 'import urllib.request; urllib.request.urlopen("http://google.com")'
    expect(await execute({ code })).toMatchObject({
      success: false,
      validation_errors: expect.arrayContaining(['Blocked import: urllib']),
    })
    expect(await execute({ code, policy: { mode: 'off' } })).toMatchObject({
      success: false,
      exit_code: 1,
      stderr: expect.stringContaining('URLError'),
      validation_errors: null,
    })
  })

  it('the timeout is enforced', async () => {
    expect(await execute({ code: 'while True: pass', timeout_seconds: 2 })).toMatchObject({
      success: false,
      exit_code: -1,
      error: expect.stringContaining('2 s'),
    })
  })
})

describe('POST /execute', () => {
  it.each([
    [{ code: 'x', timeout_seconds: 61 }, 'timeout_seconds'],
    [{ code: 'x', timeout_seconds: 1.5 }, 'timeout_seconds'],
    [{ code: 'x', memory_mb: 32 }, 'memory_mb'],
    [{ code: 7 }, 'code'],
    [{}, 'code'],
    [{ code: '' }, 'code'],
    [{ code: 'x', language: 'klingon' }, 'language'],
  ])('names what is wrong in %j', async (body, field) => {
    const answer = await fetch(`${gateway.url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(await answer.json()).toMatchObject({ status: 400, errors: [{ field }] })
  })

  it('names an unknown field', async () => {
    expect(await execute({ code: 'x', timeout: 3 })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('timeout'),
    })
  })

  it('cancels the execution of a caller that goes away', async () => {
    const leaving = new AbortController()
    const asked = fetch(`${gateway.url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'import time\ntime.sleep(50)', timeout_seconds: 60 }),
      signal: leaving.signal,
    }).catch(() => undefined)
    const started = await eventually(
      () => world.client.queue(),
      ({ active }) => active === 1,
    )
    expect(started.active).toBe(1)
    leaving.abort()
    await asked
    expect(
      (
        await eventually(
          () => world.client.queue(),
          ({ active }) => active === 0,
        )
      ).active,
    ).toBe(0)
  })
})
