import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '@isopod/protocol'
import { type LiveWorkers, NoWorkerError } from '@isopod/queue'

/** How often live workers are counted while calls wait, in milliseconds; all calls share a count. */
const COUNT_MS = 5000

/** Notices that no worker is alive, by their leases. A job that waits for a worker that does not exist would wait silently. */
export class WorkerWatch {
  readonly #count: () => Promise<LiveWorkers>
  readonly #onMissing: () => void
  #counted: { readonly at: number; readonly workers: Promise<number> } | undefined
  #hasWarned = false
  #soon: NodeJS.Timeout | undefined

  /** @param onMissing called once, when jobs wait and no worker is alive */
  constructor(count: () => Promise<LiveWorkers>, onMissing: () => void) {
    this.#count = count
    this.#onMissing = onMissing
  }

  /** Counts the workers once, a few seconds after a submit. */
  afterSubmit(): void {
    if (this.#hasWarned || this.#soon !== undefined) return
    const count = () => {
      this.#soon = undefined
      void this.#isMissing()
    }
    this.#soon = setTimeout(count, COUNT_MS).unref()
  }

  /**
   * Watches until the signal aborts.
   *
   * @throws {NoWorkerError} when no worker has been alive for `timeoutSeconds`. @default never
   */
  async untilMissing(signal: AbortSignal, timeoutSeconds = Number.POSITIVE_INFINITY): Promise<never> {
    const timeoutMs = timeoutSeconds * 1000
    let lastSeen = performance.now()
    for (;;) {
      await sleep(Math.min(COUNT_MS, timeoutMs), undefined, { signal, ref: false })
      if (!(await this.#isMissing(Math.min(COUNT_MS, timeoutMs)))) lastSeen = performance.now()
      else if (performance.now() - lastSeen >= timeoutMs) {
        throw new NoWorkerError(`no worker was running for ${timeoutSeconds} s, so the job could not start`)
      }
    }
  }

  close(): void {
    clearTimeout(this.#soon)
  }

  /** Whether there is no worker. If Redis does not answer, workers may be alive. */
  async #isMissing(maxAgeMs = COUNT_MS): Promise<boolean> {
    if (this.#counted === undefined || this.#counted.at + maxAgeMs <= performance.now()) {
      const workers = this.#count().then(
        (live) => live.workers,
        () => 1,
      )
      this.#counted = { at: performance.now(), workers }
    }
    const isMissing = (await this.#counted.workers) === 0
    if (isMissing && !this.#hasWarned) {
      this.#hasWarned = true
      this.#onMissing()
    }
    return isMissing
  }
}

/** The warning of Node that a client without `onNoWorker` emits. */
export function warnOfMissingWorkers(): void {
  process.emitWarning('no worker is running; submitted jobs wait until one starts', {
    code: 'ISOPOD_NO_WORKER',
  })
}

/** @throws {ConfigError} */
export function checkWorkerTimeout(seconds: number | undefined): void {
  if (seconds === undefined || (Number.isFinite(seconds) && seconds > 0)) return
  throw new ConfigError(`workerTimeoutSeconds: must be a number above 0, got ${String(seconds)}`)
}
