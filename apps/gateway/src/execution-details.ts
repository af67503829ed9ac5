import type { IsopodClient, JobState, Result } from '@isopod/client'
import pLimit from 'p-limit'

/** A short summary of an execution. */
export interface ExecutionDetails {
  readonly state: JobState
  /** Null until the execution is finished. */
  readonly status: Result['status'] | null
  readonly language: string | null
  readonly wallMs: number | null
}

/** How long the details of a finished execution are cached, in milliseconds. Bounded, because ids can be reused. */
const CACHE_MS = 60_000
const MAX_KEPT = 2000
/** Results that are read concurrently for all callers: each can have tens of megabytes and delays other calls to Redis. */
const RESULTS_AT_ONCE = 2

/** Summarizes executions. Caches finished ones, because a result can have megabytes and lists are polled. */
export class DetailsReader {
  readonly #client: Pick<IsopodClient, 'result' | 'state'>
  readonly #limit = pLimit(RESULTS_AT_ONCE)
  readonly #kept = new Map<string, { readonly details: ExecutionDetails; readonly until: number }>()

  constructor(client: Pick<IsopodClient, 'result' | 'state'>) {
    this.#client = client
  }

  /** Reads the details of an execution. Does not check who may see it. */
  async read(id: string): Promise<ExecutionDetails> {
    const kept = this.#kept.get(id)
    if (kept !== undefined && kept.until > performance.now()) return kept.details
    const result = await this.#limit(() => this.#client.result(id, { shortened: true }))
    if (result === undefined) {
      return { state: await this.#client.state(id), status: null, language: null, wallMs: null }
    }
    const { status, language, wallMs } = result
    const details = { state: 'finished', status, language, wallMs } as const
    this.#keep(id, details)
    return details
  }

  #keep(id: string, details: ExecutionDetails): void {
    this.#kept.delete(id)
    this.#kept.set(id, { details, until: performance.now() + CACHE_MS })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}
