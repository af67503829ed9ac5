import { PassThrough, Readable } from 'node:stream'
import type { QueueStats } from '@isopod/client'
import type { JobEvent, JobInput, Result } from '@isopod/protocol'
import { sampleResult } from '../../../test/support/samples.ts'
import type { Io } from '../src/io.ts'
import type { JobClient } from '../src/job-client.ts'
import { runCli } from '../src/program.ts'
import type { Services } from '../src/services.ts'
import { fakeBatch } from './fake-batch.ts'

/** The result of a program that printed "hi". */
export function resultOf(changes: Partial<Result> = {}): Result {
  const hi = { stdout: 'hi\n', outputBytes: { stdout: 3, stderr: 0 }, wallMs: 34, memoryPeakBytes: 8_600_000 }
  return sampleResult({ ...hi, ...changes })
}

/** A queue without jobs, and one worker. */
export const IDLE: QueueStats = {
  ...{ waiting: 0, active: 0, delayed: 0, prioritized: 0, failed: 0, oldestWaitingAgeSeconds: 0 },
  ...{ workers: 1, slots: 4, predictedWaitSeconds: null },
  untaken: { results: 0, bytes: 0, oldestAgeSeconds: 0 },
  quarantined: { malformed: 0, reserved: 0, wrong_type: 0, too_large: 0, lost: 0, structure: 0 },
}

/** A stream that records what is written to it. */
export function recorder(options: { isTTY?: boolean; columns?: number } = {}) {
  const stream = Object.assign(new PassThrough(), options)
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, bytes: () => Buffer.concat(chunks), text: () => Buffer.concat(chunks).toString('utf8') }
}

/** The streams and environment of a command; records what it writes. */
export function fakeIo(
  options: { stdin?: string | Buffer; env?: NodeJS.ProcessEnv; isTTY?: boolean; columns?: number } = {},
) {
  const tty = options.isTTY === undefined ? {} : { isTTY: options.isTTY, columns: options.columns ?? 80 }
  const out = recorder(tty)
  const err = recorder(tty)
  const stdin = Readable.from(options.stdin === undefined ? [] : [options.stdin])
  const io: Io = {
    stdin,
    stdout: out.stream,
    stderr: err.stream,
    env: { REDIS_URL: 'redis://test', NO_COLOR: '1', ...options.env },
  }
  return { io, out, err }
}

/** A client of a queue in memory whose jobs end as `answer` says, for cases that a real queue cannot be made to produce. */
export function fakeClient(
  answer: (job: JobInput) => Result | Error = () => resultOf(),
  events: readonly JobEvent[] = [],
) {
  const calls: { method: string; value: unknown }[] = []
  const waiting: Result[] = []
  const record = (method: string, value: unknown) => void calls.push({ method, value })
  const client: JobClient = {
    submitMany: async (jobs) => {
      record('submitMany', jobs)
      return jobs.map((job, index) => {
        const result = answer(job)
        if (!(result instanceof Error)) waiting.push({ ...result, id: `j-${index + 1}` })
        return `j-${index + 1}`
      })
    },
    run: async (job) => {
      record('run', job)
      const result = answer(job)
      if (result instanceof Error) throw result
      return result
    },
    batch: (options) => {
      record('batch', options)
      return fakeBatch(options, answer)
    },
    result: async (id) => waiting.find((result) => result.id === id),
    wait: async (id) => {
      record('wait', id)
      return resultOf({ id })
    },
    events: async function* () {
      yield* events
    },
    results: (handler, options) => {
      record('results', options)
      const taking = (async () => {
        for (const result of [...waiting]) {
          await handler(result).then(
            () => waiting.splice(waiting.indexOf(result), 1),
            () => undefined,
          )
        }
      })()
      return { close: () => taking }
    },
    cancel: async (id) => {
      record('cancel', id)
      return 'cancelled'
    },
    cancelJobs: async (filter) => {
      record('cancelJobs', filter)
      return { cancelled: 0, requested: 0 }
    },
    jobs: async (options) => {
      record('jobs', options)
      return { jobs: [] }
    },
    queue: async () => IDLE,
    languages: async () => [{ name: 'python', version: '3.13', aliases: ['py'] }],
    close: async () => record('close', undefined),
  }
  return { client, calls, waiting }
}

/** Services that connect to this client and cannot start anything. */
export function servicesWith(client: JobClient): Services {
  const refuse = () => Promise.reject(new Error('nothing may be started'))
  return {
    connect: async () => client,
    findStack: async () => undefined,
    findPrivateServices: async () => ({}),
    ensureStack: refuse,
    stackDown: refuse,
    startGateway: refuse,
    openAccess: refuse,
    openWebhooks: refuse,
    openDeadResults: refuse,
    openQuarantine: refuse,
    openRoots: refuse,
    makeRoot: refuse,
    buildRoots: refuse,
    importRoot: refuse,
    catalogueImages: refuse,
    serveMcp: refuse,
  }
}

/** Runs a command line against a fake client; returns its output, exit code and calls. */
export async function cli(
  args: readonly string[],
  options: Parameters<typeof fakeIo>[0] & {
    client?: ReturnType<typeof fakeClient>
    services?: Services
  } = {},
) {
  const { io, out, err } = fakeIo(options)
  const fake = options.client ?? fakeClient()
  const exitCode = await runCli(args, io, options.services ?? servicesWith(fake.client))
  return { exitCode, stdout: out.text(), stderr: err.text(), bytes: out.bytes(), calls: fake.calls }
}
