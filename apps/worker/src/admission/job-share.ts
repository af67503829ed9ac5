import type { ContentionRetry, RetryRequest } from '@isopod/judging'
import type { Admission, Share } from './admission.ts'
import type { ExclusiveOutcome, ExclusiveRuns } from './exclusive-runs.ts'

/** Dependencies of {@link JobShare}. */
export interface JobShareOptions {
  readonly admission: Pick<Admission, 'enter' | 'wasOvercommitted'>
  readonly exclusive: Pick<ExclusiveRuns, 'enabled' | 'run'>
  readonly share: Share
  readonly tenant: string
  /** Wall-clock limit of the program. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The share of the host that one job holds while it runs, and its exclusive runs. */
export class JobShare implements ContentionRetry {
  readonly #options: JobShareOptions
  #release: (() => void) | undefined
  #refused: Exclude<ExclusiveOutcome, 'made'> | undefined

  constructor(options: JobShareOptions) {
    this.#options = options
  }

  /** Waits until the host has room. Rejects with the reason of the job's signal. */
  async acquire(): Promise<void> {
    const { admission, share, tenant, timeoutMs, signal } = this.#options
    this.#release = await admission.enter(share, signal, { tenant, timeoutMs })
  }

  /** Releases the share; without effect if the job holds none. */
  release(): void {
    this.#release?.()
    this.#release = undefined
  }

  wasOvercommitted(ms: number): boolean {
    const { admission, exclusive } = this.#options
    return exclusive.enabled && admission.wasOvercommitted(ms)
  }

  async runExclusively<T>(
    request: RetryRequest,
    run: (count: number, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const { exclusive, tenant, signal } = this.#options
    // Release this job's share first; otherwise it would deadlock waiting for itself.
    this.release()
    const { outcome, ran } = await exclusive.run({ ...request, tenant }, signal, run)
    if (outcome !== 'made') this.#refused = outcome
    return ran
  }

  async resume(): Promise<void> {
    await this.acquire()
  }

  /** Why a doubtful timeout stands; undefined if none does. */
  get warning(): string | undefined {
    if (this.#refused === undefined) return undefined
    const why = {
      denied: 'the share of its time that this worker gives to such runs was spent',
      yielded: 'jobs of other tenants waited',
      given_up: 'the time for it ran out',
    }[this.#refused]
    return `contended: a run timed out while others kept it from the processor, and was not repeated alone: ${why}`
  }
}
