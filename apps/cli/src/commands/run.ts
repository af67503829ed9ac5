import { type JobInput, type Result, UnavailableError } from '@isopod/protocol'
import { type ExitCode, exitCodeOf } from '@isopod/service-kit'
import { type JobOptions, jobFromOptions } from '../input/job-options.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, write } from '../io.ts'
import type { JobClient } from '../job-client.ts'
import { offeredLanguages } from '../offered-languages.ts'
import type { Services } from '../services.ts'
import { LiveDisplay } from '../terminal/live-display.ts'
import { jsonLine, showResult } from '../terminal/show-result.ts'
import { UsageError } from '../usage-error.ts'
import { withClient } from '../with-client.ts'

/** Options of `isopod run`. */
export interface RunOptions extends JobOptions {
  readonly json?: boolean
  readonly raw?: boolean
  readonly follow?: boolean
}

/** Its results are read by id; a queue of their own keeps them from the takers of others, and expires. */
const REPLY_TO = 'cli-run'

/** `isopod run`: one program, from the file to its exit code. Ctrl-C cancels the job. */
export async function runCommand(
  io: Io,
  services: Services,
  file: string,
  options: RunOptions,
): Promise<ExitCode> {
  if (options.follow && options.json) {
    throw new UsageError('--follow and --json: give one of them, the second prints nothing but the result')
  }
  const job = await jobFromOptions(io, file, { ...options, replyTo: REPLY_TO })
  return await withClient(io, services, async (client) => {
    await offeredLanguages(io, client, [job.language])
    const raw = options.raw ?? false
    if (options.follow) {
      const display = new LiveDisplay(io, { raw })
      const followed = await interruptible((signal) => follow(client, job, display, signal))
      await display.finish(followed)
      return exitCodeOf(followed.status)
    }
    const result: Result = await interruptible((signal) => client.run(job, { signal }))
    if (options.json) await write(io.stdout, jsonLine(result))
    else await showResult(io, result, { raw })
    return exitCodeOf(result.status)
  })
}

/** Runs a job and shows its output as it comes; an abort cancels it. */
async function follow(
  client: JobClient,
  job: JobInput,
  display: LiveDisplay,
  signal: AbortSignal,
): Promise<Result> {
  const [id = ''] = await client.submitMany([{ ...job, stream: true }])
  try {
    for await (const event of client.events(id, { signal })) await display.show(event)
    signal.throwIfAborted()
  } catch (error) {
    // Should that fail too, the job just runs; the caller is told of the abort and of nothing else.
    if (signal.aborted) await client.cancel(id).catch(() => {})
    throw error
  }
  const result = await client.result(id)
  if (result === undefined) throw new UnavailableError(`the result of ${id} has expired`)
  return result
}
