import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type IsopodClient } from '@isopod/client'
import { startWorker, type WorkerProcess } from '@isopod/devstack'
import { inject } from 'vitest'
import { containersOf } from './engine.ts'
import { DRIVER } from './runtime.ts'
import { sandboxesOf } from './sandboxes.ts'
import { scaled } from './time-factor.ts'

/** The environment of a system test: its own queue, worker processes, and a client. */
export interface World {
  readonly prefix: string
  readonly redisUrl: string
  readonly dockerHost: string
  readonly client: IsopodClient
  /** In the order in which they were started, as their logs. */
  readonly workers: WorkerProcess[]
  /** Starts one more worker; resolves when it is ready. */
  addWorker(env?: NodeJS.ProcessEnv): Promise<WorkerProcess>
  /** The log of the n-th worker, one parsed line each. */
  log(index?: number): Promise<Record<string, unknown>[]>
  /** Everything that the n-th worker has written to stdout and stderr. */
  written(index?: number): Promise<string>
  /** State directory of its workers for the process driver. */
  readonly sandboxState: string
  /** Ids of this world's containers, whatever their state. */
  containers(): Promise<string[]>
  /** Stops everything. Rejects if a container is left. */
  close(): Promise<void>
}

/** Options of {@link startWorld}. */
export interface WorldOptions {
  /** @default 1 */
  readonly workers?: number
  /** Settings of all workers. */
  readonly env?: NodeJS.ProcessEnv
  /** The launcher of the workers. @default the released one */
  readonly launcher?: string
  /** URL of another Redis. @default the Redis that all system tests share */
  readonly redisUrl?: string
  /** Address of the engine for the workers only, such as that of a relay. */
  readonly workersDockerHost?: string
}

/**
 * Settings of a worker that does not repeat a timed-out run. Otherwise an endless program beside others would run a second
 * time, exclusively, while all other jobs of the worker wait.
 */
export const WITHOUT_RETRIES = { ISOPOD_SECOND_RUN_SECONDS: '0' }

let worlds = 0

/** Starts `workers` worker processes on a queue that no other test uses. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const stack = inject('stack')
  const { redisUrl = stack.redisUrl, workersDockerHost = stack.dockerHost, launcher } = options
  const { dockerHost } = stack
  const prefix = `test-${process.pid}-${++worlds}`
  const logs = await mkdtemp(join(tmpdir(), 'isopod-test-'))
  const client = await connect({ url: redisUrl, prefix })
  const workers: WorkerProcess[] = []
  // Short, because it holds sockets.
  const state = `/run/isopod-${prefix.slice(-12)}`
  let started = 0

  const world: World = {
    prefix,
    redisUrl,
    dockerHost,
    sandboxState: state,
    client,
    workers,
    async addWorker(env = {}) {
      const index = started++
      const worker = await startWorker({
        redisUrl,
        dockerHost: workersDockerHost,
        log: join(logs, `worker-${index}.log`),
        stack: prefix,
        deadlineMs: scaled(60_000),
        ...(launcher !== undefined && { launcher }),
        env: {
          ...process.env,
          // The self-test has its own specs. Here it would only delay the start of each worker.
          ISOPOD_SELF_TEST: 'false',
          // Most specs run few jobs of a kind, so a larger pool would mostly make containers that no job takes.
          ISOPOD_POOL_SIZE: '1',
          ISOPOD_QUEUE_PREFIX: prefix,
          ISOPOD_SANDBOX_STATE_DIR: state,
          ...options.env,
          ...env,
        },
      })
      workers[index] = worker
      return worker
    },
    written: (index = 0) => readFile(join(logs, `worker-${index}.log`), 'utf8'),
    async log(index = 0) {
      const text = await world.written(index)
      // After the last line break is a line that is being written.
      const lines = text.split('\n').slice(0, -1)
      return lines
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    containers: async () => [
      ...(await sandboxesOf(state)),
      ...(DRIVER === 'process' ? [] : await containersOf(dockerHost, prefix)),
    ],
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()))
      const left = await world.containers()
      await client.close()
      await rm(logs, { recursive: true, force: true })
      await rm(state, { recursive: true, force: true })
      if (left.length > 0) throw new Error(`${left.length} containers were left: ${left.join(', ')}`)
    },
  }
  const starts = Array.from({ length: options.workers ?? 1 }, () => world.addWorker())
  try {
    await Promise.all(starts)
  } catch (error) {
    await Promise.allSettled(starts)
    await world.close()
    throw error
  }
  return world
}
