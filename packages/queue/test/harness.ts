import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidJobError, type JobInput, parseJob, type Result } from '@isopod/protocol'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type RedisServer, startRedisServer } from '../../devstack/src/redis/redis-server.ts'
import {
  type Consumer,
  type ConsumerEvent,
  type ConsumerOptions,
  type Delivery,
  type Handle,
  type JobWorkerOptions,
  newJobId,
  openConsumer,
  openProducer,
  type Producer,
  unexecutedJobResult,
} from '../src/index.ts'

/** Locks that expire fast enough for tests. */
export const FAST_LOCKS = { lockDurationMs: 1500, stalledIntervalMs: 400 }

/** The result of a job that printed its own code. */
export function echoResult({ id, job, attempt }: Delivery, workerId = 'w1'): Result {
  return {
    ...unexecutedJobResult({ id, job, status: 'setup_error', errorMessage: '', attempt, workerId }),
    status: 'success',
    exitCode: 0,
    stdout: job.code,
    errorMessage: null,
    attributable: true,
  }
}

export interface TestConsumer extends Omit<Consumer, 'run'> {
  readonly events: ConsumerEvent[]
  /** Starts to take jobs with the consumer's handler and options. */
  run(): void
}

export interface Bench {
  readonly url: string
  readonly server: RedisServer
  /** A plain connection, to inspect keys. */
  readonly redis: Redis
  /** Unique to each test. */
  readonly prefix: string
  producer(): Promise<Producer>
  consumer(handle?: Handle, options?: Partial<ConsumerOptions & JobWorkerOptions>): Promise<TestConsumer>
  /** Enqueues one job and returns its id. */
  enqueue(job?: Partial<JobInput>): Promise<string>
  key(...parts: string[]): string
  restartRedis(between?: () => Promise<void>): Promise<void>
}

/** A private Redis for the test file; each test has its own prefix, and everything that it opens is closed after it. */
export function useBench(options: { persistent?: boolean } = {}): Bench {
  let directory = ''
  let server: RedisServer | undefined
  let redis: Redis | undefined
  let count = 0
  let closers: (() => Promise<void>)[] = []
  let sharedProducer: Promise<Producer> | undefined

  const start = async () => {
    server = await startRedisServer({
      directory: join(directory, 'redis'),
      persistent: options.persistent ?? false,
    })
  }
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'isopod-queue-'))
    await start()
    redis = new Redis({ path: join(directory, 'redis/redis.sock'), retryStrategy: () => 100 })
    redis.on('error', () => {})
  })
  afterEach(async () => {
    await Promise.all(closers.map((close) => close()))
    closers = []
    sharedProducer = undefined
    count += 1
  })
  afterAll(async () => {
    redis?.disconnect()
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })
  const bench: Bench = {
    get url() {
      return defined(server).url
    },
    get server() {
      return defined(server)
    },
    get redis() {
      return defined(redis)
    },
    get prefix() {
      return `t${count}`
    },
    async producer() {
      const producer = await openProducer({ url: bench.url, prefix: bench.prefix })
      closers.push(() => producer.close())
      return producer
    },
    async consumer(handle = async (delivery) => echoResult(delivery), given = {}) {
      const events: ConsumerEvent[] = []
      const consumer = await openConsumer({
        url: bench.url,
        prefix: bench.prefix,
        workerId: 'w1',
        ...given,
        observe: (event) => events.push(event),
      })
      const taking = {
        concurrency: 4,
        handle,
        giveUp: ({ id, job, attempt }, cause) =>
          unexecutedJobResult({
            id,
            job,
            attempt,
            workerId: given.workerId ?? 'w1',
            status: cause instanceof InvalidJobError ? 'validation_error' : 'setup_error',
            errorMessage: cause.message,
          }),
        ...FAST_LOCKS,
        ...given,
      } satisfies JobWorkerOptions
      closers.push(() => consumer.close())
      const run = consumer.run.bind(consumer)
      return Object.assign(consumer, { events, run: () => run(taking) })
    },
    async enqueue(job = {}) {
      sharedProducer ??= bench.producer()
      const id = newJobId()
      await (await sharedProducer).enqueue([{ id, job: parseJob({ code: 'print(1)', ...job }) }])
      return id
    },
    key: (...parts) => [`{${bench.prefix}}`, ...parts].join(':'),
    async restartRedis(between = async () => {}) {
      await defined(server).stop()
      await between()
      await start()
    },
  }
  return bench
}

/** Waits until the check holds. @default 15 s at most */
export async function until(
  check: () => boolean | Promise<boolean>,
  what = 'the condition',
  seconds = 15,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what}`)
    await sleep(20)
  }
}

export function defined<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error('there should be a value')
  return value
}

/** Takes results from a results queue into a list. */
export function collect(producer: Producer, replyTo = 'default'): Result[] {
  const results: Result[] = []
  producer.results(replyTo, async (result) => {
    results.push(result)
  })
  return results
}
