import { type JobEvent, type JobInput, type Result, UnavailableError } from '@isopod/protocol'
import { type ExitCode, exitCodeOf } from '@isopod/service-kit'
import { type JobOptions, jobFromOptions } from '../input/job-options.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, write } from '../io.ts'
import type { JobClient } from '../job-client.ts'
import { offeredLanguages } from '../offered-languages.ts'
import type { Services } from '../services.ts'
import { LiveDisplay } from '../terminal/live-display.ts'
import { jsonLine, showResult } from '../terminal/show-result.ts'
import { withClient } from '../with-client.ts'

/** Options of `isopod run`. */
export type RunCommandOptions = JobOptions & {
  readonly json?: boolean
  readonly raw?: boolean
  readonly follow?: boolean
}

/** The result is read by the job's id, so it goes to no results queue. */
const REPLY_TO = 'none'

/** `isopod run`: runs one program; the exit code depends on its status. Ctrl-C cancels the job. */
export async function runJobCommand(
  io: Io,
  services: Services,
  file: string,
  options: RunCommandOptions,
): Promise<ExitCode> {
  const job = await jobFromOptions(io, file, { ...options, replyTo: REPLY_TO })
  return await withClient(io, services, async (client) => {
    // Only for its warnings.
    await offeredLanguages(io, client, [job.language])
    const raw = options.raw ?? false
    if (options.follow) {
      const display = new LiveDisplay(io, { raw })
      const show = (event: JobEvent) =>
        options.json ? write(io.stdout, jsonLine(event)) : display.show(event)
      const followed = await interruptible((signal) => follow(client, job, show, signal))
      if (!options.json) await display.finish(followed)
      return exitCodeOf(followed)
    }
    const result: Result = await interruptible((signal) => client.run(job, { signal }))
    if (options.json) await write(io.stdout, jsonLine(result))
    else await showResult(io, result, { raw })
    return exitCodeOf(result)
  })
}

/** Runs a job and shows its output live; an abort cancels the job. */
async function follow(
  client: JobClient,
  job: JobInput,
  show: (event: JobEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<Result> {
  const [id = ''] = await client.submitMany([{ ...job, stream: true }])
  try {
    for await (const event of client.events(id, { signal })) await show(event)
    signal.throwIfAborted()
  } catch (error) {
    // If the cancellation fails, the job runs to its end; the caller still gets the abort.
    if (signal.aborted) await client.cancel(id).catch(() => {})
    throw error
  }
  const result = await client.result(id)
  if (result === undefined) throw new UnavailableError(`the result of ${id} has expired`)
  return result
}
