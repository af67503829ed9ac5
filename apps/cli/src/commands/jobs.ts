import type { QueuedJob } from '@isopod/client'
import { visible } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type FilterOptions, jobFilter } from '../input/job-filter.ts'
import { type Io, note, write } from '../io.ts'
import type { JobClient } from '../job-client.ts'
import { wholeNumber } from '../option-values.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { tableText, widthOf } from '../terminal/table.ts'
import { ageText } from '../terminal/units.ts'
import { withClient } from '../with-client.ts'

/** Number of jobs in one page. */
const PAGE = 500
const DEFAULT_COUNT = 100

const COLUMNS = [
  { head: 'id' },
  { head: 'state' },
  { head: 'age', align: 'right' },
  { head: 'language' },
  { head: 'tenant' },
  { head: 'reply to' },
  { head: 'batch', flexible: true },
  { head: 'labels', flexible: true },
] as const

/** Options of `isopod jobs`. */
export interface JobsCommandOptions extends FilterOptions {
  readonly count?: string
  readonly json?: boolean
}

/** `isopod jobs`: lists the jobs that wait, in the order of the queue, then those that run. */
export async function jobsCommand(
  io: Io,
  services: Services,
  options: JobsCommandOptions,
): Promise<ExitCode> {
  const filter = jobFilter(options)
  const count =
    options.count === undefined ? DEFAULT_COUNT : wholeNumber('--count', options.count, 999_999_999)
  return await withClient(io, services, async (client) => {
    const { jobs, hasMore } = await firstJobs(client, filter, count)
    if (options.json) await write(io.stdout, jobs.map(jsonLine).join(''))
    else if (jobs.length > 0) await write(io.stdout, tableText(COLUMNS, jobs.map(rowOf), widthOf(io.stdout)))
    if (jobs.length === 0) {
      note(io, `isopod: no ${Object.keys(filter).length > 0 ? 'such ' : ''}job waits or runs`)
    }
    if (hasMore) note(io, `isopod: there are more than ${count}; --count sets how many are listed`)
    return EXIT.success
  })
}

async function firstJobs(
  client: JobClient,
  filter: Parameters<JobClient['jobs']>[0],
  count: number,
): Promise<{ jobs: QueuedJob[]; hasMore: boolean }> {
  const jobs: QueuedJob[] = []
  let cursor: string | undefined
  do {
    const page = await client.jobs({ ...filter, limit: Math.min(PAGE, count - jobs.length), cursor })
    jobs.push(...page.jobs)
    cursor = page.cursor
  } while (cursor !== undefined && jobs.length < count)
  return { jobs, hasMore: cursor !== undefined }
}

function rowOf(job: QueuedJob): string[] {
  const labels = Object.entries(job.labels ?? {}).map(([name, value]) => `${name}=${value}`)
  const age = ageText(Date.now() - job.submittedAt)
  const texts = [job.language, job.tenant, job.replyTo, job.batchId ?? '', labels.join(' ')]
  return [job.id, job.state, age, ...texts.map((text) => visible(text))]
}
