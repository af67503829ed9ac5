import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { redisCli } from '../../support/redis.ts'

/** The Redis of one fault: it keeps its data over restarts. */
export class RedisControl {
  readonly #directory: string
  #server: RedisServer | undefined

  constructor(folder: string) {
    this.#directory = join(folder, 'redis')
  }

  /** Path of its socket, the same over restarts. */
  get socket(): string {
    return join(this.#directory, 'redis.sock')
  }

  get url(): string {
    return `redis+unix://${this.socket}`
  }

  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true })
    this.#server = await startRedisServer({ directory: this.#directory, persistent: true })
  }

  /** Ends it in an orderly way. */
  async stop(): Promise<void> {
    await this.#server?.stop()
    this.#server = undefined
  }

  /** Sends a signal to the server. */
  signal(name: NodeJS.Signals): void {
    if (this.#server !== undefined) process.kill(this.#server.pid, name)
  }

  /** Kills it and waits until it is gone. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.stop()
  }

  /** Stops it with SIGSTOP for a while. */
  async freeze(ms: number): Promise<void> {
    this.signal('SIGSTOP')
    try {
      await sleep(ms)
    } finally {
      this.signal('SIGCONT')
    }
  }

  /** Runs a command and returns the lines of its answer. */
  command(...words: string[]): Promise<string[]> {
    return redisCli(this.url, ...words)
  }
}
