import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConsumer, unexecutedJobResult } from '@isopod/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { type RedisServer, startRedisServer } from '../../../devstack/src/redis/redis-server.ts'
import { connect, type Sample } from '../../src/index.ts'
import { until } from '../harness.ts'
import { judge } from './programs.ts'

let directory = ''
let server: RedisServer | undefined

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-outage-'))
  server = await startRedisServer({ directory, persistent: true })
})

afterAll(async () => {
  await server?.stop()
  await rm(directory, { recursive: true, force: true })
})

test(
  'a batch survives an outage of Redis of some seconds, with one verdict per sample',
  async () => {
    const url = server?.url ?? ''
    const client = await connect({ url })
    const worker = await openConsumer({ url, workerId: 'w' })
    const runs = new Map<string, number>()
    worker.run({
      concurrency: 4,
      lockDurationMs: 1500,
      stalledIntervalMs: 400,
      handle: async (delivery) => {
        runs.set(delivery.id, (runs.get(delivery.id) ?? 0) + 1)
        await sleep(20)
        return judge(delivery)
      },
      giveUp: ({ id, attempt }, { message: errorMessage }) =>
        unexecutedJobResult({ id, attempt, status: 'setup_error', errorMessage, workerId: 'w' }),
    })
    /** Continues while Redis is unavailable. */
    const samples = async function* (): AsyncGenerator<Sample> {
      for (let n = 0; n < 300; n++) {
        await sleep(10)
        const code = `${n % 3 === 0 ? 'pass' : 'fail'} #${n}`
        yield { id: `s${n}`, problem: `p${n % 10}`, job: { code } }
      }
    }
    const batch = client.batch({ samples: samples(), inFlight: 100 })
    const summary = batch.summary()
    await until(() => batch.progress().done > 40)
    await server?.stop()
    // Longer than the command timeout of Redis clients.
    await sleep(6000)
    server = await startRedisServer({ directory, persistent: true })
    expect(await summary).toMatchObject({
      samples: 300,
      passed: 100,
      failed: 200,
      faults: 0,
      retriedFaults: 0,
    })
    expect(runs.size).toBe(300)
    await client.close()
    await worker.close()
  },
  scaled(60_000),
)
