import type { Result } from '@isopod/protocol'
import { EXIT, type ExitCode, UsageError } from '@isopod/service-kit'
import { aborted, interruptible } from '../interrupt.ts'
import { type Io, note, write } from '../io.ts'
import type { JobClient } from '../job-client.ts'
import { wholeNumber } from '../option-values.ts'
import type { Services } from '../services.ts'
import { resultText } from '../terminal/result-text.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { withClient } from '../with-client.ts'

/** Options of `isopod results`. */
export interface ResultsCommandOptions {
  readonly replyTo?: string
  readonly follow?: boolean
  readonly count?: string
  readonly json?: boolean
}

/** Without `--follow` and `--count`: milliseconds without a result after which the queue counts as empty. */
const IDLE_MS = 1_000

/** `isopod results`: prints results from a results queue and removes them from it. */
export async function resultsCommand(
  io: Io,
  services: Services,
  options: ResultsCommandOptions,
): Promise<ExitCode> {
  const count = options.count === undefined ? undefined : wholeNumber('--count', options.count, 999_999_999)
  if (count !== undefined && options.follow) {
    throw new UsageError('--count and --follow: must not be combined; --follow never ends by itself')
  }
  const show = (result: Result) => write(io.stdout, options.json ? jsonLine(result) : resultText(io, result))
  const idleMs = options.follow || count !== undefined ? undefined : IDLE_MS
  const { replyTo } = options
  const taken = await withClient(io, services, (client) =>
    interruptible((signal) => takeResults(client, show, { replyTo, count, idleMs, signal })),
  )
  if (taken === 0 && idleMs !== undefined) {
    note(io, `isopod: no result is waiting in the results queue ${replyTo ?? 'default'}`)
  }
  return EXIT.success
}

interface TakeOptions {
  readonly replyTo: string | undefined
  readonly count: number | undefined
  readonly idleMs: number | undefined
  readonly signal: AbortSignal
}

/**
 * Consumes results one at a time until `count` were shown, none came for `idleMs`, or the signal is aborted.
 *
 * @returns how many were shown
 */
async function takeResults(
  client: JobClient,
  show: (result: Result) => Promise<void>,
  { replyTo, count, idleMs, signal }: TakeOptions,
): Promise<number> {
  const ended = new AbortController()
  const idle = idleMs === undefined ? undefined : setTimeout(() => ended.abort(), idleMs)
  let shown = 0
  const handler = async (result: Result) => {
    // A result beyond the count: an error leaves it in the queue for the next consumer.
    if (ended.signal.aborted || signal.aborted) throw new Error('not taken')
    await show(result)
    shown += 1
    idle?.refresh()
    if (shown === count) ended.abort()
  }
  const consumer = client.results(handler, {
    concurrency: 1,
    ...(replyTo === undefined ? {} : { replyTo }),
  })
  await aborted(AbortSignal.any([signal, ended.signal]))
  clearTimeout(idle)
  await consumer.close()
  return shown
}
