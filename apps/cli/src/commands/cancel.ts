import type { JobFilter } from '@isopod/client'
import { EXIT, type ExitCode, UsageError } from '@isopod/service-kit'
import { type FilterOptions, jobFilter } from '../input/job-filter.ts'
import { jobId } from '../input/job-id.ts'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { countText } from '../terminal/units.ts'
import { withClient } from '../with-client.ts'

/** Options of `isopod cancel`. */
export interface CancelCommandOptions extends FilterOptions {
  readonly json?: boolean
}

/** `isopod cancel`: ends waiting jobs, and asks the workers that run the others to. */
export async function cancelCommand(
  io: Io,
  services: Services,
  given: string | undefined,
  options: CancelCommandOptions,
): Promise<ExitCode> {
  const filter = jobFilter(options)
  const isFiltered = Object.keys(filter).length > 0
  if (isFiltered && given !== undefined) {
    throw new UsageError('cancel: takes the id of a job or options that select jobs, not both')
  }
  if (!isFiltered && given === undefined) {
    throw new UsageError('cancel: needs the id of a job, or options that select jobs, such as --batch')
  }
  if (given !== undefined) return await cancelOne(io, services, jobId(given), options)
  return await cancelMany(io, services, filter, options)
}

async function cancelOne(
  io: Io,
  services: Services,
  id: string,
  { json }: CancelCommandOptions,
): Promise<ExitCode> {
  return await withClient(io, services, async (client) => {
    const outcome = await client.cancel(id)
    const isDone = outcome === 'cancelled' || outcome === 'requested'
    if (json) await write(io.stdout, jsonLine({ id, outcome }))
    else if (isDone) await write(io.stdout, `${id} ${SENTENCES[outcome]}\n`)
    else note(io, `isopod: ${id} ${SENTENCES[outcome]}`)
    return isDone ? EXIT.success : EXIT.failure
  })
}

async function cancelMany(
  io: Io,
  services: Services,
  filter: JobFilter,
  { json }: CancelCommandOptions,
): Promise<ExitCode> {
  return await withClient(io, services, async (client) => {
    const { cancelled, requested } = await client.cancelJobs(filter)
    const isDone = cancelled + requested > 0
    const text = `${countText(cancelled, 'job')} cancelled before running, ${countText(requested, 'running job')} being cancelled`
    if (json) await write(io.stdout, jsonLine({ cancelled, requested }))
    else if (isDone) await write(io.stdout, `${text}\n`)
    else note(io, 'isopod: no such job waits or runs')
    return isDone ? EXIT.success : EXIT.failure
  })
}

const SENTENCES = {
  cancelled: 'was cancelled before it ran',
  requested: 'is being cancelled',
  finished: 'has already ended',
  unknown: 'is unknown: no job has this id, or its result has expired',
} as const
