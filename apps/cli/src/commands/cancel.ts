import { EXIT, type ExitCode } from '@isopod/service-kit'
import { jobId } from '../input/job-id.ts'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { withClient } from '../with-client.ts'

/** `isopod cancel`: ends a waiting job, or asks the worker that runs it to. */
export async function cancelCommand(
  io: Io,
  services: Services,
  given: string,
  options: { readonly json?: boolean },
): Promise<ExitCode> {
  const id = jobId(given)
  return await withClient(io, services, async (client) => {
    const outcome = await client.cancel(id)
    const isDone = outcome === 'cancelled' || outcome === 'requested'
    if (options.json) await write(io.stdout, jsonLine({ id, outcome }))
    else if (isDone) await write(io.stdout, `${id} ${SENTENCES[outcome]}\n`)
    else note(io, `isopod: ${id} ${SENTENCES[outcome]}`)
    return isDone ? EXIT.success : EXIT.failure
  })
}

const SENTENCES = {
  cancelled: 'was cancelled before it ran',
  requested: 'is being cancelled',
  finished: 'has already ended',
  unknown: 'is unknown: no job has this id, or its result has expired',
} as const
