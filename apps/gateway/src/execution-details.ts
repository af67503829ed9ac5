import type { IsopodClient, JobState, Status } from '@isopod/client'
import pLimit from 'p-limit'

/** How it stands with an execution, in short. */
export interface ExecutionDetails {
  readonly state: JobState
  /** Of a finished one, and null before. */
  readonly status: Status | null
  readonly language: string | null
  readonly wallMs: number | null
}

/** How long the details of a finished execution are kept, in milliseconds: until its id may be another's. */
const KEPT_MS = 60_000
const MAX_KEPT = 2000
/** Results that are read at once for all callers: each can have tens of megabytes, and other calls wait behind it. */
const RESULTS_AT_ONCE = 2

/** Tells in short how it stands with executions. A result may have megabytes, so it is not read again for each list. */
export class DetailsReader {
  readonly #client: Pick<IsopodClient, 'result' | 'state'>
  readonly #limit = pLimit(RESULTS_AT_ONCE)
  readonly #kept = new Map<string, { readonly details: ExecutionDetails; readonly until: number }>()

  constructor(client: Pick<IsopodClient, 'result' | 'state'>) {
    this.#client = client
  }

  /** The details of an execution; that the caller may see it is for the caller to check. */
  async read(id: string): Promise<ExecutionDetails> {
    const kept = this.#kept.get(id)
    if (kept !== undefined && kept.until > performance.now()) return kept.details
    const result = await this.#limit(() => this.#client.result(id))
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
    this.#kept.set(id, { details, until: performance.now() + KEPT_MS })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}
