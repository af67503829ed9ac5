import type { JobInput } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type JobOptions, jobFromOptions } from '../input/job-options.ts'
import { type Io, write } from '../io.ts'
import { warnWithoutWorker } from '../offered-languages.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { withClient } from '../with-client.ts'

/** `isopod submit`: enqueues each file and prints its id; if one is not valid, none is enqueued. */
export async function submitCommand(
  io: Io,
  services: Services,
  files: readonly string[],
  options: JobOptions & { readonly json?: boolean },
): Promise<ExitCode> {
  const jobs: JobInput[] = []
  for (const file of files) jobs.push(await jobFromOptions(io, file, options))
  return await withClient(io, services, async (client) => {
    const ids = await client.submitMany(jobs)
    const lines = ids.map((id, index) => (options.json ? jsonLine({ id, file: files[index] }) : `${id}\n`))
    await write(io.stdout, lines.join(''))
    await warnWithoutWorker(io, client)
    return EXIT.success
  })
}
