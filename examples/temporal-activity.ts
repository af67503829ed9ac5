import { InvalidJobError, type IsopodClient, type JobInput, type Result } from '@isopod/client'
import { ApplicationFailure, Context } from '@temporalio/activity'

/** Details of a heartbeat: the execution that the next attempt waits for. */
interface Progress {
  readonly executionId: string
}

/**
 * The activities of a Temporal worker.
 *
 * @example
 * ```ts
 * const worker = await Worker.create({ taskQueue: 'code', activities: createActivities(await connect()), … })
 * // in a workflow:
 * const { runProgram } = proxyActivities<ReturnType<typeof createActivities>>({
 *   startToCloseTimeout: '10 minutes',
 *   heartbeatTimeout: '30 seconds',
 *   cancellationType: 'WAIT_CANCELLATION_COMPLETED',
 * })
 * ```
 */
export function createActivities(isopod: IsopodClient) {
  return {
    /**
     * Runs one program. A failed program is a result; only a platform fault fails the activity, which Temporal then
     * retries. An invalid job is not retried.
     */
    async runProgram(job: JobInput): Promise<Result> {
      const { info, heartbeat, cancellationSignal } = Context.current()
      const executionId =
        (await unfinishedBusiness(isopod, info.heartbeatDetails)) ?? (await submit(isopod, job))
      const progress: Progress = { executionId }
      // Temporal reports a cancellation in its responses to heartbeats.
      heartbeat(progress)
      const beats = setInterval(heartbeat, (info.heartbeatTimeoutMs ?? 30_000) / 3, progress)
      try {
        const result = await isopod.wait(executionId, { signal: cancellationSignal })
        if (result.attributable) return result
        throw ApplicationFailure.retryable(result.errorMessage ?? result.status, 'PlatformFault')
      } catch (error) {
        if (!cancellationSignal.aborted) throw error
        // Aborting the wait does not end the program.
        await isopod.cancel(executionId)
        throw cancellationSignal.reason
      } finally {
        clearInterval(beats)
      }
    },
  }
}

/** The execution of an earlier attempt whose worker died, unless it is unknown or its result is not attributable. */
async function unfinishedBusiness(isopod: IsopodClient, details: Progress | undefined) {
  if (details === undefined || (await isopod.state(details.executionId)) === 'unknown') return undefined
  const result = await isopod.result(details.executionId)
  return result === undefined || result.attributable ? details.executionId : undefined
}

async function submit(isopod: IsopodClient, job: JobInput): Promise<string> {
  try {
    return await isopod.submit({ replyTo: 'none', ...job })
  } catch (error) {
    if (error instanceof InvalidJobError) throw ApplicationFailure.nonRetryable(error.message, error.name)
    throw error
  }
}
