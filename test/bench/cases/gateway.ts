import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { IsopodClient } from '@isopod/client'
import { startGateway } from '@isopod/devstack'
import type { BenchCase } from '../bench.ts'
import { NAMES } from '../names.ts'
import { interleave } from '../rounds.ts'
import { removeKeys, untilRedisIdle } from '../stage.ts'

const JOB = { language: 'python', code: 'print("hello")', replyTo: 'none' }
const BODY = JSON.stringify(JOB)
/** Concurrent callers while the rate is measured. */
const CALLERS = 64

/** Cost of the gateway compared with the client: without a worker, only the submit is measured. */
export const gateway: BenchCase = {
  name: 'gateway',
  title: 'submits over HTTP beside submits by the client, without a worker',
  async run(bench) {
    const { stage, book } = bench
    const single = bench.size(200, 50)
    const many = bench.size(5000, 500)
    const prefix = stage.prefix('gateway')
    const redisUrl = stage.stack.redis.url
    const client = await stage.connect(prefix)
    const process_ = await startGateway({
      redisUrl,
      log: join(stage.folder, 'gateway.log'),
      env: { ...process.env, ISOPOD_QUEUE_PREFIX: prefix, ISOPOD_GATEWAY_MAX_WAITING: '10000000' },
    })
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
    const ways = {
      [NAMES.client]: () => bySubmit(client),
      [NAMES.gateway]: () => byHttp(`${process_.url}/v1/executions`, agent),
    }
    try {
      const entrants = Object.entries(ways).map(([name, submit]) => ({
        name,
        block: async () => {
          await untilRedisIdle(redisUrl)
          await submit()
          for (let count = 0; count < single; count += 1) {
            const started = performance.now()
            await submit()
            const ms = performance.now() - started
            book.add({ case: 'gateway', contender: name, metric: 'time', unit: 'ms' }, ms)
          }
          const started = performance.now()
          await atOnce(many, submit)
          const seconds = (performance.now() - started) / 1000
          book.add({ case: 'gateway', contender: name, metric: 'rate', unit: '/s' }, many / seconds)
          await removeKeys(redisUrl, [prefix])
        },
      }))
      await interleave(bench, 'gateway', bench.size(5, 2), entrants)
      book.note(
        `The gateway: ${CALLERS} callers at once for the rate, on the same host as the gateway and Redis.`,
      )
    } finally {
      agent.destroy()
      await process_.stop()
    }
  },
}

async function bySubmit(client: IsopodClient): Promise<void> {
  await client.submit(JOB)
}

function byHttp(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': BODY.length },
      },
      (answer) => {
        answer.resume()
        answer.on('end', () => {
          if (answer.statusCode === 202) resolve()
          else reject(new Error(`the gateway answered ${answer.statusCode}`))
        })
      },
    )
    sent.on('error', reject)
    sent.end(BODY)
  })
}

async function atOnce(count: number, submit: () => Promise<void>): Promise<void> {
  let left = count
  const caller = async () => {
    while (left-- > 0) await submit()
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}
