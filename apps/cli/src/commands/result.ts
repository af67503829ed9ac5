import { EXIT, type ExitCode, exitCodeOf } from '@isopod/service-kit'
import { jobId } from '../input/job-id.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, note, write } from '../io.ts'
import { warnWithoutWorker } from '../offered-languages.ts'
import type { Services } from '../services.ts'
import { jsonLine, showResult } from '../terminal/show-result.ts'
import { withClient } from '../with-client.ts'

/** Options of `isopod result`. */
export interface ResultOptions {
  readonly wait?: boolean
  readonly json?: boolean
  readonly raw?: boolean
}

/** `isopod result`: shows the stored result of a job as `isopod run` does, with the same exit code. */
export async function resultCommand(
  io: Io,
  services: Services,
  given: string,
  options: ResultOptions,
): Promise<ExitCode> {
  const id = jobId(given)
  return await withClient(io, services, async (client) => {
    let result = await client.result(id)
    if (result === undefined && options.wait) {
      await warnWithoutWorker(io, client)
      result = await interruptible((signal) => client.wait(id, { signal }))
    }
    if (result === undefined) {
      note(
        io,
        `isopod: no result for ${id}: the job has not finished (use --wait), is unknown, or its result has expired`,
      )
      return EXIT.failure
    }
    if (options.json) await write(io.stdout, jsonLine(result))
    else await showResult(io, result, { raw: options.raw ?? false })
    return exitCodeOf(result)
  })
}
