import { setTimeout as sleep } from 'node:timers/promises'
import type { Access, BatchEnd, BatchRecord, UnrecordedExecutions } from '@isopod/access'
import { batchOutcome, type IsopodClient, type Result } from '@isopod/client'

/** Maximum number of results that are read concurrently. */
const RESULTS_AT_ONCE = 4
/** Minimum and maximum pause between two polls of a batch, in milliseconds; it grows while no execution ends. */
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000

/** The progress of a batch. */
export interface BatchView {
  readonly waiting: number
  /** Indices of the running executions. */
  readonly running: readonly number[]
  /** In the order in which they ended. */
  readonly ends: readonly BatchEnd[]
}

/** An end and its number among the ends of the batch, from 1. */
export interface NumberedEnd {
  readonly number: number
  readonly end: BatchEnd
}

/** Reports the progress of batches. All state is in Redis, so any gateway can report it. */
export class BatchProgress {
  readonly #client: Pick<IsopodClient, 'result'>
  readonly #batches: Access['batches']
  /** Running polls by id of the batch; concurrent readers share a poll. */
  readonly #polls = new Map<string, Promise<UnrecordedExecutions>>()

  constructor(client: Pick<IsopodClient, 'result'>, batches: Access['batches']) {
    this.#client = client
    this.#batches = batches
  }

  async view(batch: BatchRecord): Promise<BatchView> {
    const found = await this.#poll(batch)
    const ends = await this.#batches.ends(batch.id)
    // Another gateway may have recorded ends since.
    const ended = new Set(ends.map(({ index }) => index))
    const running = found.running.filter((index) => !ended.has(index))
    return { waiting: batch.executions.length - ends.length - running.length, running, ends }
  }

  /**
   * Yields each end after the first `after`, as it is recorded. Returns when all executions have ended or the signal is
   * aborted.
   */
  async *follow(
    batch: BatchRecord,
    { after, signal }: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncGenerator<NumberedEnd, void, undefined> {
    let pause = FIRST_PAUSE_MS
    // Clamped: otherwise a reader that claims more ends than there are would see the batch as finished.
    const recorded = after === 0 ? 0 : (await this.#batches.ends(batch.id)).length
    for (let number = Math.min(after, recorded); ; ) {
      await this.#poll(batch)
      const ends = await this.#batches.ends(batch.id, number)
      for (const end of ends) {
        number += 1
        yield { number, end }
      }
      if (number >= batch.executions.length || signal.aborted) return
      pause = ends.length > 0 ? FIRST_PAUSE_MS : Math.min(pause * 1.5, MAX_PAUSE_MS)
      await sleep(pause, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }

  #poll(batch: BatchRecord): Promise<UnrecordedExecutions> {
    const running = this.#polls.get(batch.id)
    if (running !== undefined) return running
    const poll = this.#recordEnds(batch).finally(() => this.#polls.delete(batch.id))
    this.#polls.set(batch.id, poll)
    return poll
  }

  /** Records the ends that are not recorded yet. Reads each result once, because results are large. */
  async #recordEnds(batch: BatchRecord): Promise<UnrecordedExecutions> {
    const found = await this.#batches.readUnrecorded(batch.id)
    for (let at = 0; at < found.ended.length; at += RESULTS_AT_ONCE) {
      const indexes = found.ended.slice(at, at + RESULTS_AT_ONCE)
      const ends = indexes.map(async (index) =>
        endOf(batch, index, await this.#resultOf(batch.executions[index])),
      )
      await this.#batches.recordEnds(batch.id, await Promise.all(ends))
    }
    await this.#batches.recordEnds(
      batch.id,
      found.lost.map((index) => endOf(batch, index, undefined)),
    )
    return found
  }

  async #resultOf(execution = ''): Promise<Result | undefined> {
    try {
      return await this.#client.result(execution, { shortened: true })
    } catch (error) {
      // The stored value is not a result: a platform fault, which must not block the batch.
      if (error instanceof Error && 'code' in error && error.code === 'terminal') return undefined
      throw error
    }
  }
}

function endOf({ executions, tests }: BatchRecord, index: number, result: Result | undefined): BatchEnd {
  const id = executions[index] ?? ''
  if (result === undefined) return { index, id, status: null, outcome: 'fault' }
  const count = tests[index] ?? undefined
  const outcome = batchOutcome({ tests: count === undefined ? undefined : { length: count } }, result)
  return { index, id, status: result.status, outcome }
}
