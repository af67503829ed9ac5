import { type JobInput, type Result, UnavailableError } from '@isopod/protocol'
import type { ToolClient } from './tool-client.ts'

/** Interval of progress reports, in milliseconds. */
const PROGRESS_INTERVAL_MS = 1000

/** Reports the seconds since the job was enqueued, and its state. */
export type ReportProgress = (seconds: number, message: string) => Promise<void>

/** Options of {@link runJob}. */
export interface RunJobOptions {
  /** An abort cancels the job. */
  readonly signal: AbortSignal
  /** Timeout after which the job is cancelled. */
  readonly waitSeconds: number
  /** Absent if the caller wants no progress. */
  readonly report?: ReportProgress | undefined
}

/**
 * Submits one job and waits for its result.
 *
 * @throws {InvalidJobError} naming the field; nothing was enqueued
 * @throws {UnavailableError} if Redis does not respond, or no result arrived in time
 * @throws the signal's reason after an abort, which cancels the job
 */
export async function runJob(client: ToolClient, job: JobInput, options: RunJobOptions): Promise<Result> {
  const { signal, waitSeconds, report } = options
  signal.throwIfAborted()
  const id = await client.submit(job)
  const deadline = AbortSignal.timeout(waitSeconds * 1000)
  const stopReporting = report === undefined ? () => {} : reportRepeatedly(client, id, report)
  try {
    return await client.wait(id, { signal: AbortSignal.any([signal, deadline]) })
  } catch (error) {
    if (!signal.aborted && !deadline.aborted) throw error
    const waited = !signal.aborted && (await stateOf(client, id)) === 'waiting'
    // If the cancellation fails too, the job runs to its end; the caller still gets the abort.
    await client.cancel(id).catch(() => {})
    signal.throwIfAborted()
    const reason = waited ? 'no worker took the job' : 'the job had not ended'
    throw new UnavailableError(`No result within ${waitSeconds} s: ${reason}, so it was cancelled`)
  } finally {
    stopReporting()
  }
}

/** Reports at once and then at intervals. Returns a function that stops it. */
function reportRepeatedly(client: ToolClient, id: string, report: ReportProgress): () => void {
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const tick = async () => {
    const state = await stateOf(client, id)
    if (isStopped) return
    const seconds = Math.round(performance.now() - startedAt) / 1000
    const what = state === 'waiting' ? 'waiting for a worker' : 'running'
    // If the caller has disconnected, its call ends by itself.
    await report(seconds, `${what}, ${Math.floor(seconds)} s`).catch(() => {})
    if (!isStopped) timer = setTimeout(tick, PROGRESS_INTERVAL_MS)
  }
  void tick()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** State of the job; undefined while Redis is unavailable. */
async function stateOf(client: ToolClient, id: string) {
  return await client.state(id).catch(() => undefined)
}
