import type { DeploymentRedis } from '@isopod/queue'
import { z } from 'zod'
import { READ_UNRECORDED, RECORD_BATCH, RECORD_BATCH_ENDS } from './batches-lua.ts'

/** The parts of a batch that are fixed at submit. */
export interface BatchRecord {
  readonly id: string
  readonly tenant: string
  /** For people; null if it has none. */
  readonly name: string | null
  /** Milliseconds since 1970. */
  readonly submittedAt: number
  /** Ids of its executions, in the order of their jobs. */
  readonly executions: readonly string[]
  /** How many tests each of its jobs has; null for one without. */
  readonly tests: readonly (number | null)[]
}

const endSchema = z.object({
  /** Index of its job in the batch. */
  index: z.int(),
  /** Id of the execution. */
  id: z.string(),
  /** Null if the result expired before its status was recorded. */
  status: z.string().nullable(),
  outcome: z.enum(['passed', 'failed', 'fault']),
})

/** How one execution of a batch ended. */
export type BatchEnd = z.infer<typeof endSchema>

/** Indexes of executions whose end is not recorded. An execution in none of the lists waits. */
export interface UnrecordedExecutions {
  /** Executions that a worker runs. */
  readonly running: readonly number[]
  /** Executions with a result. */
  readonly ended: readonly number[]
  /** Executions whose result has expired. */
  readonly lost: readonly number[]
}

const ID = /^[A-Za-z0-9_-]{1,128}$/

/**
 * Batches: their executions and the order in which these ended. A batch is kept as long as results, counted from the last
 * recorded end. No process watches a batch: each reader records executions that have ended since.
 */
export class Batches {
  readonly #ask: DeploymentRedis['ask']
  readonly #tag: string
  readonly #active: string
  readonly #ttlSeconds: number

  constructor({ keys, resultTtlSeconds, ask }: DeploymentRedis) {
    this.#ask = ask
    this.#tag = keys.tag
    this.#active = keys.jobs('active')
    this.#ttlSeconds = resultTtlSeconds
  }

  /**
   * Binds the id of a batch to its content before its jobs are enqueued.
   *
   * @returns `claimed` by this call; `same`: bound to this content before; `other`: bound to other content
   */
  async claim(id: string, fingerprint: string): Promise<'claimed' | 'same' | 'other'> {
    const key = this.#key(id, 'fingerprint')
    // Two commands, because Redis 6.2 has no SET with both NX and GET.
    const replies = await this.#ask((redis) =>
      redis.multi().set(key, fingerprint, 'EX', this.#ttlSeconds, 'NX').get(key).exec(),
    )
    const [set, known] = valuesOf(replies)
    if (set === 'OK') return 'claimed'
    return known === fingerprint ? 'same' : 'other'
  }

  /** Releases a claimed id after a failed submit. */
  async withdraw(id: string): Promise<void> {
    await this.#ask((redis) => redis.del(this.#key(id, 'fingerprint')))
  }

  /** Stores a batch whose jobs are enqueued. A second call with the same id has no effect. */
  async record({ id, executions, ...fields }: BatchRecord): Promise<void> {
    await this.#ask((redis) =>
      redis.eval(
        RECORD_BATCH,
        ...([3, this.#key(id), this.#key(id, 'executions'), this.#key(id, 'unnoted')] as const),
        ...[this.#ttlSeconds, JSON.stringify(fields), ...executions],
      ),
    )
  }

  /** Finds a batch; undefined if it does not exist or has expired. */
  async find(id: string): Promise<BatchRecord | undefined> {
    // Another id could name a part of a batch, which is a key of another type.
    if (!ID.test(id)) return undefined
    const replies = await this.#ask((redis) =>
      redis.multi().get(this.#key(id)).lrange(this.#key(id, 'executions'), 0, -1).exec(),
    )
    const [fields, executions] = valuesOf(replies)
    if (typeof fields !== 'string') return undefined
    const parsed = recordSchema.safeParse({ id, ...JSON.parse(fields), executions })
    return parsed.data
  }

  /** Reads the state of all executions whose end is not recorded, atomically. */
  async readUnrecorded(id: string): Promise<UnrecordedExecutions> {
    const reply = await this.#ask((redis) =>
      redis.eval(
        READ_UNRECORDED,
        ...([3, this.#key(id, 'executions'), this.#key(id, 'unnoted'), this.#active, this.#tag] as const),
      ),
    )
    const [running, ended, lost] = unrecordedSchema.parse(reply)
    return { running, ended, lost }
  }

  /** Records ends. An end that another reader has recorded is skipped. */
  async recordEnds(id: string, ends: readonly BatchEnd[]): Promise<void> {
    if (ends.length === 0) return
    await this.#ask((redis) =>
      redis.eval(
        RECORD_BATCH_ENDS,
        ...([5, this.#key(id), this.#key(id, 'executions'), this.#key(id, 'unnoted')] as const),
        ...[this.#key(id, 'ends'), this.#key(id, 'fingerprint')],
        ...[this.#ttlSeconds, ...ends.flatMap((end) => [end.index, JSON.stringify(end)])],
      ),
    )
  }

  /** Recorded ends in their order, without the first `after`. */
  async ends(id: string, after = 0): Promise<BatchEnd[]> {
    const stored = await this.#ask((redis) => redis.lrange(this.#key(id, 'ends'), after, -1))
    return stored.map((text) => endSchema.parse(JSON.parse(text)))
  }

  // Executions whose end is not recorded are stored under `unnoted`, as in earlier releases.
  #key(id: string, part?: 'fingerprint' | 'executions' | 'unnoted' | 'ends'): string {
    const rest = part === undefined ? '' : `:${part}`
    return `${this.#tag}:access:batch:${id}${rest}`
  }
}

const recordSchema = z.object({
  id: z.string(),
  tenant: z.string(),
  name: z.string().nullable(),
  submittedAt: z.number(),
  executions: z.array(z.string()).min(1),
  tests: z.array(z.number().nullable()),
})

const indexes = z.array(z.coerce.number())
const unrecordedSchema = z.tuple([indexes, indexes, indexes])

function valuesOf(replies: [error: Error | null, value: unknown][] | null): unknown[] {
  return (replies ?? []).map(([error, value]) => {
    if (error !== null) throw error
    return value
  })
}
