import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect, type IsopodClient, type JobInput, type Result } from '@isopod/client'
import { startWorker, type WorkerProcess } from '@isopod/devstack'
import { SIMULATED_LAUNCHER } from '../../bench/cases/simulated.ts'
import type { Random } from '../../bench/measure/random.ts'
import { Ledger } from '../ledger.ts'
import { type ClientProcess, signalIfThere, startClientProcess } from './client-process.ts'
import type { EngineControl } from './engine-control.ts'
import { Link } from './link.ts'
import { RedisControl } from './redis-control.ts'
import { SmallDisk } from './small-disk.ts'

/** The results queue of every arena. */
export const REPLY_TO = 'chaos'
const CONSUMER = fileURLToPath(new URL('../processes/consumer.ts', import.meta.url))
const SUBMITTER = fileURLToPath(new URL('../processes/submitter.ts', import.meta.url))
const RETRY_MS = 250
/** Maximum number of starts of one worker. A start fails if Redis does not answer within 4 s, which a busy host can cause. */
const WORKER_STARTS = 3
/** Size of a small disk, in MiB: enough for what Redis or the workers write during one fault. */
const SMALL_DISK_MB = 96

/** Options of {@link Arena.open}. */
export interface ArenaOptions {
  /** Prefix of its keys, and label of its containers. */
  readonly name: string
  readonly folder: string
  /** The engine of its workers; undefined: their containers are simulated. */
  readonly engine: EngineControl | undefined
  readonly workers: number
  /** Settings of its workers. */
  readonly env: NodeJS.ProcessEnv
  /** Whose files are on a small disk. */
  readonly smallDisk: 'redis' | 'workers' | undefined
  readonly random: Random
}

/** Submits one job until it is accepted, or until the signal aborts. */
export type Submitter = (name: string, job: JobInput, signal: AbortSignal) => Promise<void>

/** Everything of one fault: a Redis, workers, a client, and the relays between them. */
export class Arena {
  readonly name: string
  readonly redis: RedisControl
  /** Between Redis and the workers, and between Redis and the client. */
  readonly workerLink: Link
  readonly clientLink: Link
  /** Between the engine and the workers. */
  readonly engineLink: Link | undefined
  readonly engine: EngineControl | undefined
  readonly random: Random
  readonly ledger = new Ledger()
  readonly workers: WorkerProcess[] = []
  /** Folder for the logs of its workers, and for temporary files. */
  readonly #files: string
  /** Folder for the temporary files of its processes. */
  readonly temporary: string
  #smallDisk: SmallDisk | undefined
  readonly #options: ArenaOptions
  /** Consumers in processes of their own, the newest last. */
  readonly consumers: ClientProcess[] = []
  readonly #clients: ClientProcess[] = []
  readonly #closers: (() => Promise<void>)[] = []
  #client: IsopodClient | undefined
  #started = 0

  private constructor(options: ArenaOptions) {
    const { name, folder, engine, random } = options
    this.#options = options
    this.name = name
    this.random = random
    this.engine = engine
    this.#files = join(folder, 'workers')
    this.temporary = join(this.#files, 'tmp')
    this.redis = new RedisControl(folder)
    this.workerLink = new Link(join(folder, 'workers.sock'), this.redis.socket)
    this.clientLink = new Link(join(folder, 'client.sock'), this.redis.socket)
    this.engineLink = engine && new Link(join(folder, 'engine.sock'), engine.socket)
  }

  /** Starts everything; closes it again if a part fails. */
  static async open(options: ArenaOptions): Promise<Arena> {
    const arena = new Arena(options)
    try {
      await arena.#mountSmallDisk()
      await mkdir(arena.temporary, { recursive: true })
      await arena.redis.start()
      await Promise.all([arena.workerLink.open(), arena.clientLink.open(), arena.engineLink?.open()])
      arena.#client = await connect({ url: `redis+unix://${arena.clientLink.path}`, prefix: options.name })
      await Promise.all(Array.from({ length: options.workers }, () => arena.addWorker()))
      return arena
    } catch (error) {
      await arena.close()
      throw error
    }
  }

  /** The client of the harness, through its relay. */
  get client(): IsopodClient {
    if (this.#client === undefined) throw new Error('the arena is not open')
    return this.#client
  }

  /** The disk that the fault can fill, if it has one. */
  get smallDisk(): SmallDisk | undefined {
    return this.#smallDisk
  }

  /** The environment of a process of the arena. */
  environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return { ...process.env, TMPDIR: this.temporary, ...env }
  }

  /** Has something stopped together with the processes of the arena. */
  atStop(stop: () => Promise<void>): void {
    this.#closers.push(stop)
  }

  /** Log file of the n-th worker that was started. */
  logOf(index: number): string {
    return join(this.#files, `worker-${index}.log`)
  }

  /** Starts one more worker, as a supervisor does: again if it ends at its start. Resolves when it takes jobs. */
  async addWorker(env: NodeJS.ProcessEnv = {}): Promise<WorkerProcess> {
    for (let left = WORKER_STARTS; ; left--) {
      try {
        const worker = await this.#startWorker(env)
        this.workers.push(worker)
        return worker
      } catch (error) {
        if (left <= 1) throw error
      }
    }
  }

  #startWorker(env: NodeJS.ProcessEnv): Promise<WorkerProcess> {
    const { name, engine, workers } = this.#options
    return startWorker({
      redisUrl: `redis+unix://${this.workerLink.path}`,
      dockerHost: `unix://${this.engineLink?.path ?? '/nowhere'}`,
      log: this.logOf(this.#started++),
      stack: name,
      ...(engine === undefined && { launcher: SIMULATED_LAUNCHER }),
      env: this.environment({
        ISOPOD_SELF_TEST: 'false',
        ISOPOD_ALLOW_OLD_RUNC: 'true',
        ISOPOD_QUEUE_PREFIX: name,
        // A run that lacked CPU would run again, alone, while all others wait.
        ISOPOD_SECOND_RUN_SECONDS: '0',
        ISOPOD_DRAIN_SECONDS: '5',
        ISOPOD_SLOTS: '4',
        ISOPOD_WORKERS: String(Math.max(1, workers)),
        ...this.#options.env,
        ...env,
      }),
    })
  }

  /** Submits a job until it is accepted, as a producer with an idempotency key does. Gives up when the signal aborts. */
  async submit(name: string, job: JobInput, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const id = await this.client
        .submit({ ...job, replyTo: REPLY_TO, idempotencyKey: name })
        .catch(() => undefined)
      if (id !== undefined) return this.ledger.accept(name, id)
      await sleep(RETRY_MS)
    }
  }

  /**
   * Consumes results into the ledger.
   *
   * @param handle may reject, which makes the result come again
   * @param maxDeliveries after how many of them a result is dead
   */
  consume(handle: (result: Result) => Promise<void> = async () => {}, maxDeliveries?: number): void {
    const take = async (result: Result) => {
      await handle(result)
      this.ledger.deliver(result)
    }
    this.client.results(take, {
      ...{ replyTo: REPLY_TO, concurrency: 16 },
      ...(maxDeliveries !== undefined && { maxDeliveries }),
    })
  }

  /** Consumes results in another process. */
  startConsumer(env: NodeJS.ProcessEnv = {}): ClientProcess {
    const consumer = this.#startClient([CONSUMER, REPLY_TO], env, (line) =>
      this.ledger.deliver(JSON.parse(line)),
    )
    this.consumers.push(consumer)
    return consumer
  }

  /** Starts a process that submits jobs. */
  startSubmitter(env: NodeJS.ProcessEnv = {}): Submitter {
    const accepted = new Map<string, PromiseWithResolvers<string>>()
    const submitter = this.#startClient([SUBMITTER], env, (line) => {
      const { name, id } = JSON.parse(line) as { name: string; id: string }
      accepted.get(name)?.resolve(id)
    })
    return async (name, job, signal) => {
      const answer = Promise.withResolvers<string>()
      accepted.set(name, answer)
      submitter.write(JSON.stringify({ name, job: { ...job, replyTo: REPLY_TO, idempotencyKey: name } }))
      const id = await Promise.race([answer.promise, once(signal, 'abort').then(() => undefined)])
      if (id !== undefined) this.ledger.accept(name, id)
    }
  }

  /** Resolves once a share of the jobs has its result, or after some seconds. */
  async untilDelivered(count: number, maxMs = 15_000): Promise<void> {
    const deadline = performance.now() + maxMs
    while (this.ledger.deliveries.length < count && performance.now() < deadline) await sleep(20)
  }

  /** Resolves once no job waits or runs. A job with a result whose completion failed does so until its lock has expired. */
  async untilSettled(maxMs = 45_000): Promise<void> {
    const count = async (command: string, part: string) =>
      Number((await this.redis.command(command, `{${this.name}}:jobs:${part}`))[0])
    const deadline = performance.now() + maxMs
    while (performance.now() < deadline) {
      const counts = await Promise.all([
        ...['wait', 'active'].map((part) => count('LLEN', part)),
        ...['prioritized', 'delayed'].map((part) => count('ZCARD', part)),
      ])
      if (counts.every((jobs) => jobs === 0)) return
      await sleep(250)
    }
  }

  /** Stops the client, consumers and workers in an orderly way; Redis and the relays stay for the last look. */
  async stopProcesses(): Promise<void> {
    for (const { pid, ended } of this.#clients) {
      signalIfThere(pid, 'SIGTERM')
      await ended
    }
    await Promise.all(this.#closers.map((stop) => stop()))
    await this.#client?.close()
    await Promise.all(this.workers.map((worker) => worker.stop()))
  }

  /** Stops everything. */
  async close(): Promise<void> {
    await this.stopProcesses()
    await Promise.all([this.workerLink.close(), this.clientLink.close(), this.engineLink?.close()])
    await this.redis.stop()
    await this.#smallDisk?.unmount()
  }

  async #mountSmallDisk(): Promise<void> {
    const { smallDisk, folder } = this.#options
    if (smallDisk === undefined) return
    const path = smallDisk === 'redis' ? join(folder, 'redis') : this.#files
    this.#smallDisk = await SmallDisk.inMemory(path, SMALL_DISK_MB)
  }

  #startClient(
    [script, ...words]: readonly [string, ...string[]],
    env: NodeJS.ProcessEnv,
    onLine: (line: string) => void,
  ): ClientProcess {
    const url = `redis+unix://${this.clientLink.path}`
    const client = startClientProcess([script, url, this.name, ...words], this.environment(env), onLine)
    this.#clients.push(client)
    return client
  }
}
