import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@isopod/protocol'
import { type Consumer, type Delivery, type Handle, openConsumer, unexecutedJobResult } from '@isopod/queue'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { scaled } from '../../../test/support/time-factor.ts'
import { type RedisServer, startRedisServer } from '../../devstack/src/redis/redis-server.ts'
import { connect, type IsopodClient } from '../src/index.ts'

export interface Bench {
  readonly url: string
  /** Unique to each test. */
  readonly prefix: string
  client(): Promise<IsopodClient>
  worker(handle?: Handle, concurrency?: number): Promise<Consumer>
  /** All keys of this test, without those in which BullMQ describes a queue, and without the turns of tenants. */
  keys(): Promise<string[]>
}

/** The result of a job that printed its own code. */
export async function echo({ id, job, attempt }: Delivery): Promise<Result> {
  return {
    ...unexecutedJobResult({ id, job, status: 'setup_error', errorMessage: '', attempt, workerId: 'w' }),
    status: 'success',
    exitCode: 0,
    stdout: job.code,
    errorMessage: null,
    attributable: true,
  }
}

/** A private Redis for the test file; everything that a test opens is closed after it. */
export function useBench(): Bench {
  let directory = ''
  let server: RedisServer | undefined
  let redis: Redis | undefined
  let count = 0
  let closers: (() => Promise<void>)[] = []
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'isopod-client-'))
    server = await startRedisServer({ directory })
    redis = new Redis({ path: join(directory, 'redis.sock') })
  })
  afterEach(async () => {
    await Promise.all(closers.map((close) => close()))
    closers = []
    count += 1
  })
  afterAll(async () => {
    redis?.disconnect()
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })
  const bench: Bench = {
    get url() {
      return server?.url ?? ''
    },
    get prefix() {
      return `t${count}`
    },
    async client() {
      const client = await connect({ url: bench.url, prefix: bench.prefix })
      closers.push(() => client.close())
      return client
    },
    async worker(handle = echo, concurrency = 4) {
      const { url, prefix } = bench
      const giveUp = ({ id, attempt }: { id: string; attempt: number }, cause: Error) =>
        unexecutedJobResult({
          id,
          attempt,
          status: 'setup_error',
          errorMessage: cause.message,
          workerId: 'w',
        })
      const consumer = await openConsumer({ url, prefix, workerId: 'w' })
      consumer.run({ concurrency, handle, giveUp })
      closers.push(() => consumer.close())
      return consumer
    },
    async keys() {
      const keys = (await redis?.keys(`{${bench.prefix}}:*`)) ?? []
      return keys.filter((key) => !/:(meta|id|events|marker|stalled-check|turns|clock)$/.test(key))
    },
  }
  return bench
}

/** Waits until the check holds, at most 15 s. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + scaled(15_000)
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error('waited too long')
    await sleep(20)
  }
}
