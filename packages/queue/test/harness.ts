import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidJobError, type JobInput, parseJob, type Result } from '@isopod/protocol'
import { Redis } from 'ioredis'
import { afterAll, aroundEach, beforeAll } from 'vitest'
import { scaled } from '../../../test/support/time-factor.ts'
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

/** A Redis with a connection to inspect its keys. */
interface PrivateRedis {
  server: RedisServer
  readonly redis: Redis
  readonly directory: string
}

/** Connections that one test has opened. */
interface TestScope {
  readonly prefix: string
  readonly own: PrivateRedis | undefined
  readonly closers: (() => Promise<void>)[]
  producer?: Promise<Producer>
}

/** Options of a test file's Redis. */
export interface BenchOptions {
  /** Keep every write, so that a restart finds it. @default false */
  readonly persistent?: boolean
  /** Start a Redis for each test, which may then stop it or change its settings. @default one for the file */
  readonly each?: boolean
}

/** A private Redis. Each test, also a concurrent one, has its own prefix, and its connections are closed after it. */
export function useBench({ persistent = false, each = false }: BenchOptions = {}): Bench {
  const scopes = new AsyncLocalStorage<TestScope>()
  let shared: PrivateRedis | undefined
  let count = 0

  const start = (directory: string) => startRedisServer({ directory: join(directory, 'redis'), persistent })
  const open = async (): Promise<PrivateRedis> => {
    const directory = await mkdtemp(join(tmpdir(), 'isopod-queue-'))
    const server = await start(directory)
    const redis = new Redis({ path: join(directory, 'redis/redis.sock'), retryStrategy: () => 100 })
    redis.on('error', () => {})
    return { server, redis, directory }
  }
  const close = async ({ server, redis, directory }: PrivateRedis) => {
    redis.disconnect()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
  beforeAll(async () => {
    if (!each) shared = await open()
  })
  aroundEach(async (runTest) => {
    const own = each ? await open() : undefined
    const scope: TestScope = { prefix: `t${count++}`, own, closers: [] }
    try {
      await scopes.run(scope, runTest)
    } finally {
      await Promise.all(scope.closers.map((closeOne) => closeOne()))
      if (own !== undefined) await close(own)
    }
  })
  afterAll(async () => {
    if (shared !== undefined) await close(shared)
  })
  const scope = () => defined(scopes.getStore())
  const place = () => defined(scope().own ?? shared)
  const bench: Bench = {
    get url() {
      return place().server.url
    },
    get server() {
      return place().server
    },
    get redis() {
      return place().redis
    },
    get prefix() {
      return scope().prefix
    },
    async producer() {
      const producer = await openProducer({ url: bench.url, prefix: bench.prefix })
      scope().closers.push(() => producer.close())
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
      const workerOptions = {
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
      scope().closers.push(() => consumer.close())
      const run = consumer.run.bind(consumer)
      return Object.assign(consumer, { events, run: () => run(workerOptions) })
    },
    async enqueue(job = {}) {
      scope().producer ??= bench.producer()
      const id = newJobId()
      await (await scope().producer)?.enqueue([{ id, job: parseJob({ code: 'print(1)', ...job }) }])
      return id
    },
    key: (...parts) => [`{${bench.prefix}}`, ...parts].join(':'),
    async restartRedis(between = async () => {}) {
      const { server, directory } = place()
      await server.stop()
      await between()
      place().server = await start(directory)
    },
  }
  return bench
}

/** Waits until the check holds. @default 25 s at most */
export async function until(
  check: () => boolean | Promise<boolean>,
  what = 'the condition',
  seconds = 25,
): Promise<void> {
  const deadline = Date.now() + scaled(seconds * 1000)
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
