import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobInput } from '@isopod/client'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { STATUSES } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { firstProcess } from '../support/host-view.ts'
import { redisCli } from '../support/redis.ts'
import { startWorld, type World } from '../support/world.ts'

/** Secret → the place in which it was used. */
const secrets = new Map<string, string>()
let folder: string
let redis: RedisServer
let world: World

/** A unique text that is a valid identifier in every language. */
function secret(place: string): string {
  const made = `s3cret${randomBytes(9).toString('hex')}`
  secrets.set(made, place)
  return made
}

/** Encodings of a text in a log. Base64 has three, one per offset, without the characters that depend on neighbouring bytes. */
function spellings(text: string): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64')
    return whole.slice(before === 0 ? 0 : 4, -4)
  })
  const escaped = [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  return [
    text,
    Buffer.from(text).toString('hex'),
    Buffer.from(text, 'utf16le').toString('hex'),
    escaped,
    ...base64,
  ]
}

const command = (...args: string[]) => redisCli(redis.url, ...args)
const key = (name: string) => `{${world.prefix}}:${name}`
const lines = (event: string) => async () => (await world.log()).filter((line) => line['event'] === event)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-silent-'))
  redis = await startRedisServer({ directory: folder })
  world = await startWorld({
    redisUrl: redis.url,
    env: { LOG_LEVEL: 'trace', ISOPOD_AUDIT_STREAM_LENGTH: '10000', ISOPOD_PRELOAD: 'python' },
  })
})

afterAll(async () => {
  await world?.close()
  await redis?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Fields with secrets that every job of these specs carries. */
function carried(kind: string): Partial<JobInput> {
  return {
    stdin: secret(`${kind}: stdin`),
    inputData: { [secret(`${kind}: name in inputData`)]: secret(`${kind}: inputData`) },
    files: {
      [`${secret(`${kind}: file name`)}.txt`]: { content: secret(`${kind}: file`) },
      'bytes.bin': {
        content: Buffer.from(secret(`${kind}: binary file`)).toString('base64'),
        encoding: 'base64',
      },
    },
    labels: { [secret(`${kind}: name of a label`)]: secret(`${kind}: label`) },
  }
}

const python = (kind: string, code: string) => `${code} # ${secret(`${kind}: code`)}`

const JOBS: Readonly<Record<string, () => JobInput>> = {
  success: () => ({
    code: python(
      'success',
      `import sys; print("${secret('stdout')}"); print("${secret('stderr')}", file=sys.stderr)`,
    ),
  }),
  execution_error: () => ({
    code: python('error', `import os, sys; raise Exception("${secret('exception')}", sys.argv, os.environ)`),
    args: [secret('argument of the job')],
    env: { [secret('name of a variable')]: secret('variable') },
  }),
  compile_error: () => ({
    language: 'c',
    code: `int main(void) { return ${secret('compile error')}; }`,
    compileArgs: [`-D${secret('argument of the compiler')}=1`],
  }),
  timeout: () => ({ code: python('timeout', 'while True: pass'), limits: { timeoutSeconds: 0.5 } }),
  memory_exceeded: () => ({
    code: python('memory', 'x = bytearray(200_000_000)'),
    limits: { memoryMb: 32 },
  }),
  output_exceeded: () => ({
    code: python('output', `print("${secret('long output')}" * 1000)`),
    limits: { outputBytes: 100, onOverflow: 'kill' },
  }),
  validation_error: () => ({ code: python('limits', '1'), limits: { cpus: 256 } }),
  'validation_error by the policy': () => ({
    code: python('policy', `import subprocess; subprocess.run("${secret('command')}")`),
    policy: { mode: 'enforce', rules: 'standard' },
  }),
  'validation_error by an expression': () => ({
    code: '1',
    tests: [{ name: secret('name of a test'), expected: `(${secret('expression')}`, checker: 'regex' }],
  }),
  'success, with a wrong answer': () => ({
    code: 'import sys; print(sys.argv)',
    tests: [
      { name: secret('name of a test'), args: [secret('argument')], expected: secret('expected output') },
      {
        stdin: secret('stdin of a test'),
        files: { [secret('file of a test')]: { content: secret('its content') } },
      },
    ],
  }),
  'execution_error, with scripts': () => ({
    code: python('script', 'def f(): return 1'),
    tests: [{ script: `assert f() == "${secret('script')}"` }],
  }),
  'success, preloaded': () => ({ code: python('preload', `print("${secret('preloaded')}")`), preload: true }),
  'success, cached': () => ({ code: python('cache', `print("${secret('cached')}")`), cache: true }),
  'success, with a checker that fails': () =>
    checked(`raise Exception("${secret('checker that fails')}")`, 'python'),
  'success, with a checker that does not compile': () =>
    checked(`${secret('checker that does not compile')}`, 'c'),
  'success, with an interactor that fails': () => ({
    code: 'print(1)',
    tests: [
      {
        name: secret('name of a test'),
        expected: secret('expected by an interactor'),
        interactor: { language: 'python', code: `raise Exception("${secret('interactor')}")` },
      },
    ],
  }),
  'execution_error, with an interactor that does not compile': () => ({
    code: 'print(input())',
    tests: [{ interactor: { language: 'c', code: secret('interactor that does not compile') } }],
  }),
}

function checked(code: string, language: string): JobInput {
  return {
    code: 'print(1)',
    tests: [
      {
        name: secret('name of a test'),
        expected: secret('expected by a checker'),
        checker: { type: 'program', language, code },
      },
    ],
  }
}

/** Makes Redis refuse writes during `act`, so that errors with the arguments of the failed commands come up. */
async function whileRefused(act: () => Promise<unknown>): Promise<void> {
  await command('CONFIG', 'SET', 'maxmemory', '1')
  try {
    await act()
  } finally {
    await command('CONFIG', 'SET', 'maxmemory', '0')
  }
}

/** Puts an entry into the queue that no client of Isopod would make. */
async function enqueueRaw(id: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await command('HSET', key(`jobs:${id}`), 'name', 'n', 'timestamp', '1', ...Object.entries(fields).flat())
  await command('LPUSH', key('jobs:wait'), id)
  await command('ZADD', key('jobs:marker'), '0', '0')
}

// promise: silent-logs
describe('a worker’s log has no text of a job', () => {
  it.concurrent('that is not a valid job', async () => {
    const bad = (place: string) => `{"code": "${secret(place)}`
    await enqueueRaw('raw-1', { data: bad('data that is not JSON'), opts: '{}' })
    await enqueueRaw('raw-2', { data: '{}', opts: bad('options that are not JSON') })
    await enqueueRaw('raw-3', { data: '{}', opts: '{}', progress: bad('progress') })
    await enqueueRaw('raw-4', {
      data: JSON.stringify({
        code: 'x',
        [secret('unknown field')]: 1,
        language: secret('language of no job'),
      }),
      opts: JSON.stringify({ attempts: secret('options') }),
    })
    await enqueueRaw('raw-5', { data: '{"code":"x"}', opts: '{}', ats: secret('number of starts') })
    await enqueueRaw(`id ${secret('id')}`, { data: '{"code":"x"}', opts: '{}' })
    await enqueueRaw(`${secret('id')}:${secret('id')}`, { data: '{"code":"x"}', opts: '{}' })
    await command('SET', key('jobs:raw-6'), secret('key of the wrong type'))
    await command('LPUSH', key('jobs:wait'), 'raw-6')
    await enqueueRaw('raw-7', {
      data: JSON.stringify({ code: 'x', files: { [secret('bad file')]: 7 } }),
      opts: '{}',
    })
    expect((await world.client.wait('raw-7')).status).toBe('validation_error')
    // No worker can parse this entry, so it fails only after its lock has expired several times; each takes 15 s.
    const repaired = async () => {
      await command('DEL', key('jobs:raw-1:lock'))
      return await world.client.result('raw-1')
    }
    expect(await eventually(repaired, (result) => result !== undefined, 60_000)).toMatchObject({
      status: 'validation_error',
    })
  })

  it.concurrent.each(Object.entries(JOBS))('that ends as %s', async (name, job) => {
    const { status } = await world.client.run({ ...carried(name), ...job() })
    expect(status).toBe(name.split(/[ ,]/, 1)[0])
  })

  it('that is cancelled', async () => {
    const id = await world.client.submit({
      ...carried('cancelled'),
      code: python('cancelled', 'while True: pass'),
    })
    await eventually(lines('container_assigned'), (found) => found.some(({ job }) => job === id), 3000)
    await world.client.cancel(id)
    const result = await world.client.wait(id)
    expect(result.status).toBe('cancelled')
  })

  it('whose container is killed on the host', async (context) => {
    const { dockerHost } = inject('stack')
    const onThisHost = process.getuid?.() === 0 && dockerHost.startsWith('unix://')
    context.skip(!onThisHost, 'needs root on the host of the containers')

    const code = python('killed', `print("${secret('killed')}", flush=True); import time; time.sleep(3)`)
    const id = await world.client.submit({ ...carried('killed'), code })
    const assigned = async () => (await lines('container_assigned')()).find(({ job }) => job === id)
    const { containerId } = (await eventually(assigned, (line) => line !== undefined)) ?? expect.fail()
    process.kill(Number(await firstProcess(dockerHost, String(containerId))), 'SIGKILL')
    expect((await world.client.wait(id)).status).toBe('success')
  })

  it('whose result Redis refuses to store', async () => {
    const code = python(
      'refused by Redis',
      `import time; time.sleep(1); print("${secret('refused by Redis')}")`,
    )
    const id = await world.client.submit({ ...carried('refused by Redis'), code })
    const failures = async () => (await world.log()).filter(({ msg }) => msg === 'a queue operation failed')
    const before = (await failures()).length
    // Another worker has the sweeps, which would mend this key before the result is published.
    await command('SET', key('claim:sweep'), 'another worker', 'PX', '60000')
    // This key of the results queue gets the wrong type, so that publishing the result fails, with all arguments in the error.
    await command('SET', key('results-default:wait'), 'x')
    const found = await eventually(failures, (some) => some.length > before)
    expect(found.length).toBeGreaterThan(before)
    await whileRefused(() => sleep(1500))
    expect((await world.client.wait(id)).status).toBe('success')
  })

  it('while its worker’s connections to Redis are cut and delayed', async () => {
    const code = python('cut off', `import time; time.sleep(1); print("${secret('cut off')}")`)
    const id = await world.client.submit({ ...carried('cut off'), code })
    await eventually(lines('container_assigned'), (found) => found.some(({ job }) => job === id), 3000)
    await command('CLIENT', 'KILL', 'TYPE', 'normal')
    await command('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await command('CLIENT', 'PAUSE', '1500', 'WRITE')
    expect((await world.client.wait(id)).status).toBe('success')
  })

  it('whose cached result is not valid JSON', async () => {
    const job = { code: python('spoiled', 'print(1)'), cache: true }
    await world.client.run(job)
    const cached = await command('--scan', '--pattern', key('cache:*'))
    for (const name of cached) await command('SET', name, `{"stdout": "${secret('spoiled result')}`)
    expect((await world.client.run(job)).status).toBe('success')
    const reported = async () => (await world.log()).filter(({ msg }) => String(msg).startsWith('the cache'))
    expect((await eventually(reported, (found) => found.length > 0)).length).toBeGreaterThan(0)
  })

  it('that BullMQ marked as failed with a reason that quotes it', async () => {
    // A worker checks the list of failed jobs when it starts and every 30 s, so a new worker finds it at once.
    await command(
      'HSET',
      key('jobs:failed-1'),
      'data',
      '{"code":"x"}',
      'ats',
      '1',
      'failedReason',
      secret('reason'),
    )
    await command('ZADD', key('jobs:failed'), '1', 'failed-1')
    await world.addWorker({ LOG_LEVEL: 'trace' })
    expect((await world.client.wait('failed-1')).status).toBe('setup_error')
  })
})

describe('after all of these jobs', () => {
  it('each status has occurred, and each kind of fault is in the log', async () => {
    const log = await world.log()
    const met = new Set(log.filter(({ event }) => event === 'finished').map(({ status }) => status))
    expect([...met, 'setup_error'].sort()).toEqual([...STATUSES].sort())
    const reported = new Set(log.flatMap(({ event, msg }) => [event, msg]))
    for (const one of [
      'refused',
      'setup_failed',
      'given_up',
      'a queue operation failed',
      'Redis is not connected; finished results wait for it',
    ]) {
      expect(reported).toContain(one)
    }
  })

  it('no encoding of a secret is in the workers’ output, metrics or readiness, or in the audit stream', async () => {
    const places: [string, string][] = [
      ['worker 0', await world.written(0)],
      ['worker 1', await world.written(1)],
      ['audit stream', (await command('XRANGE', key('audit'), '-', '+')).join('\n')],
      ['metrics', await (await fetch(`${world.workers[0]?.url}/metrics`)).text()],
      ['readiness', await (await fetch(`${world.workers[0]?.url}/readyz`)).text()],
    ]
    expect(secrets.size).toBeGreaterThan(100)
    const found = places.flatMap(([where, text]) => {
      expect(text.length).toBeGreaterThan(10)
      return [...secrets].flatMap(([made, place]) =>
        spellings(made).some((spelling) => text.includes(spelling)) ? [`${where}: ${place}`] : [],
      )
    })
    expect(found).toEqual([])
  })
})
