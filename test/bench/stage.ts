import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type IsopodClient } from '@isopod/client'
import {
  ensureRoots,
  ensureStack,
  IMAGES,
  type Stack,
  startWorker,
  type WorkerProcess,
} from '@isopod/devstack'
import { Redis } from 'ioredis'
import { type Engine, openEngine } from './engine.ts'

/** A worker that cases share, by its driver. */
export type WorkerKind = 'docker' | 'process' | 'process without pool'

/** The services, workers and clients of a run of the benchmark, which `close` removes. */
export interface Stage {
  /** Part of the names of everything that the run makes: containers, keys, folders. */
  readonly id: string
  readonly stack: Stack
  readonly engine: Engine
  /** Temporary folder, removed at the end. */
  readonly folder: string
  /** State of process sandboxes, in memory, as /run is on most hosts; removed at the end. */
  readonly sandboxState: string
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** A measured worker, started on first use with the released launcher. @default the one with Docker */
  worker(kind?: WorkerKind): Promise<WorkerProcess>
  /** A client of that worker. @default the one with Docker */
  client(kind?: WorkerKind): Promise<IsopodClient>
  /** Makes the root of the Python image for process sandboxes, on first use. @returns the directory of the roots */
  roots(): Promise<string>
  /** Starts a worker on its own queue; the caller stops it. */
  startWorker(prefix: string, env?: NodeJS.ProcessEnv, launcher?: string): Promise<StartedWorker>
  /** Connects to a queue; the stage closes the client. */
  connect(prefix: string): Promise<IsopodClient>
  /** A prefix for keys of this run. */
  prefix(name: string): string
  /** Stops and removes everything. */
  close(): Promise<void>
}

/** A worker and its log. */
export interface StartedWorker extends WorkerProcess {
  readonly log: string
}

/** Settings of all measured workers that differ from the defaults. The self-test is a separate case. */
const WORKER_SETTINGS: Readonly<Record<string, string>> = { ISOPOD_SELF_TEST: 'false' }

/**
 * Settings of the measured workers that differ from the defaults: the benchmark's own, and those of the environment. Paths are
 * left out, because they mean nothing on other machines.
 */
export function workerSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(env)
    .filter(([name]) => /^(ISOPOD|SANDBOX)_(?!STATE_DIR$|DEBUG$)/.test(name))
    .map(([name, value = '']) => [name, value.includes('/') ? '…' : value])
  return { ...Object.fromEntries(given), ...WORKER_SETTINGS }
}

/** Starts Redis and the engine and builds images as `npm run demo` does, and opens a stage on them. */
export async function openStage(signal: AbortSignal, log: (line: string) => void): Promise<Stage> {
  const stack = await ensureStack({ workers: 0, log })
  signal.throwIfAborted()
  const id = `bench-${process.pid}`
  const engine = await openEngine(stack.engine, id, signal)
  const folder = await mkdtemp(join(tmpdir(), 'isopod-bench-'))
  const sandboxState = `/dev/shm/isopod-${id}`
  const prefixes = new Set<string>()
  const workers = new Set<WorkerProcess>()
  const clients: IsopodClient[] = []
  let count = 0
  const shared = new Map<WorkerKind, Promise<StartedWorker>>()
  const sharedClients = new Map<WorkerKind, Promise<IsopodClient>>()
  const prefixOf = (kind: WorkerKind) => stage.prefix(`main-${kind.replaceAll(' ', '-')}`)

  const stage: Stage = {
    id,
    stack,
    engine,
    folder,
    sandboxState,
    signal,
    worker(kind = 'docker') {
      const started =
        shared.get(kind) ?? settingsOf(kind, stage).then((env) => stage.startWorker(prefixOf(kind), env))
      shared.set(kind, started)
      return started
    },
    client(kind = 'docker') {
      const opened = sharedClients.get(kind) ?? stage.worker(kind).then(() => stage.connect(prefixOf(kind)))
      sharedClients.set(kind, opened)
      return opened
    },
    roots: () => ensureRoots(stack.engine, [IMAGES.python], { log }),
    async startWorker(prefix, env = {}, launcher) {
      signal.throwIfAborted()
      const log = join(folder, `worker-${count++}.log`)
      const worker = await startWorker({
        redisUrl: stack.redis.url,
        dockerHost: stack.engine.dockerHost,
        log,
        stack: id,
        ...(launcher !== undefined && { launcher }),
        env: {
          ...process.env,
          // An engine that the benchmark starts itself can have an old runc.
          ...(stack.engine.ours && { ISOPOD_ALLOW_OLD_RUNC: 'true' }),
          ...WORKER_SETTINGS,
          ISOPOD_QUEUE_PREFIX: prefix,
          ...env,
        },
      })
      workers.add(worker)
      return Object.assign(worker, { log })
    },
    async connect(prefix) {
      const client = await connect({ url: stack.redis.url, prefix })
      clients.push(client)
      return client
    },
    prefix(name) {
      const prefix = `${id}-${name}`
      prefixes.add(prefix)
      return prefix
    },
    async close() {
      await Promise.allSettled(clients.map((client) => client.close()))
      await Promise.allSettled([...workers].map((worker) => worker.stop()))
      await engine.sweep()
      await removeKeys(stack.redis.url, [...prefixes])
      for (const directory of [folder, sandboxState]) await rm(directory, { recursive: true, force: true })
    },
  }
  return stage
}

/** Settings of a worker that cases share. */
async function settingsOf(kind: WorkerKind, stage: Stage): Promise<NodeJS.ProcessEnv> {
  if (kind === 'docker') return {}
  const env = {
    ISOPOD_DRIVER: 'process',
    ISOPOD_ROOTS_DIR: await stage.roots(),
    ISOPOD_SANDBOX_STATE_DIR: stage.sandboxState,
  }
  return kind === 'process' ? env : { ...env, ISOPOD_POOL_SIZE: '0' }
}

/** Maximum wait for Redis to finish writing to disk, in milliseconds. */
const MAX_SAVE_MS = 30_000

/** Removes every key under these prefixes. */
export async function removeKeys(url: string, prefixes: readonly string[]): Promise<void> {
  await withRedis(url, async (redis) => {
    for (const prefix of prefixes) {
      for await (const keys of redis.scanStream({ match: `{${prefix}}:*`, count: 1000 })) {
        if (keys.length > 0) await redis.unlink(...(keys as string[]))
      }
    }
  })
}

/** Waits until Redis has finished writing to disk in the background, which would take a core during a measurement. */
export async function untilRedisIdle(url: string): Promise<void> {
  await withRedis(url, async (redis) => {
    const deadline = performance.now() + MAX_SAVE_MS
    const busy = /^(?:rdb_bgsave|aof_rewrite)_in_progress:1/m
    while (performance.now() < deadline && busy.test(await redis.info('persistence'))) await sleep(100)
  })
}

async function withRedis(url: string, act: (redis: Redis) => Promise<void>): Promise<void> {
  const redis = new Redis(url.replace(/^redis\+unix:\/\//, ''), { lazyConnect: true })
  redis.on('error', () => {})
  try {
    await redis.connect()
    await act(redis)
  } finally {
    redis.disconnect()
  }
}
