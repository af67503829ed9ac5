import type { Result } from '@isopod/protocol'
import { type ExitCode, exitCodeOf } from '@isopod/service-kit'
import { type JobOptions, jobFromOptions } from '../input/job-options.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, write } from '../io.ts'
import { offeredLanguages } from '../offered-languages.ts'
import type { Services } from '../services.ts'
import { jsonLine, showResult } from '../terminal/show-result.ts'
import { withClient } from '../with-client.ts'

/** Options of `isopod run`. */
export interface RunOptions extends JobOptions {
  readonly json?: boolean
  readonly raw?: boolean
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
  const job = await jobFromOptions(io, file, { ...options, replyTo: REPLY_TO })
  return await withClient(io, services, async (client) => {
    await offeredLanguages(io, client, [job.language])
    const result: Result = await interruptible((signal) => client.run(job, { signal }))
    if (options.json) await write(io.stdout, jsonLine(result))
    else await showResult(io, result, { raw: options.raw ?? false })
    return exitCodeOf(result.status)
  })
}
