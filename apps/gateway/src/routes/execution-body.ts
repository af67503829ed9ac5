import type { IsopodClient } from '@isopod/client'
import { type Result, resultSchema } from '@isopod/protocol'
import { z } from 'zod'

/** Maximum number of jobs in one request. */
export const MAX_JOBS = 1000

/** An execution in the HTTP API. */
export const executionSchema = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'running', 'finished']),
  /** Null until the execution is finished. */
  result: resultSchema.nullable(),
})

/** An execution that was submitted and is not finished. */
export const submittedSchema = executionSchema.extend({
  predictedWaitSeconds: z
    .number()
    .nullable()
    .describe('How long a job that is submitted now waits for a worker, if that can be predicted'),
  warning: z.string().optional().describe('Why it may wait for long: no worker is running'),
})

/** An execution in the HTTP API. */
export type ExecutionBody = z.infer<typeof executionSchema>

/** The jobs of one request. */
export function jobList<Job extends z.ZodType>(job: Job) {
  const error = `must be a list of 1 to ${MAX_JOBS} jobs`
  return z.array(job, { error }).min(1, { error }).max(MAX_JOBS, { error })
}

/**
 * Waits for a result; undefined if it does not come in time. When the gateway stops, the wait ends at once, so that the
 * caller can ask another gateway.
 */
export async function resultWithin(
  client: IsopodClient,
  id: string,
  seconds: number,
  { gone, closing }: { readonly gone: AbortSignal; readonly closing: AbortSignal },
): Promise<Result | undefined> {
  if (seconds === 0) return await client.result(id)
  const stop = AbortSignal.any([AbortSignal.timeout(seconds * 1000), closing])
  try {
    return await client.wait(id, { signal: AbortSignal.any([stop, gone]) })
  } catch (error) {
    if (stop.aborted) return undefined
    throw error
  }
}

/** The body of a finished execution, also sent by webhooks. */
export function finishedExecution(id: string, result: Result) {
  return { id, state: 'finished' as const, result }
}
