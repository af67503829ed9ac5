import type { BatchRecord } from '@isopod/access'
import { fields, jobSchema, openList, STATUSES } from '@isopod/protocol'
import { z } from 'zod'
import { BatchProgress, type BatchView } from '../batches/batch-progress.ts'
import { submitBatch } from '../batches/submit-batch.ts'
import type { Caller } from '../callers.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { documented } from '../http/documented.ts'
import { EVENT_STREAM, type ServerSentEvent, sendEvents, untilClose } from '../http/event-stream.ts'
import { idPath, waitQuery, wholeParameter } from '../http/parameters.ts'
import { problemSchema, RequestRefused } from '../http/problem.ts'
import { BODY_REFUSALS, ID_REFUSALS } from '../http/refusals.ts'
import { jobList, MAX_JOBS } from './execution-body.ts'

/** Concurrent cancellations. */
const CANCELS_AT_ONCE = 16
/** Id of the last event of every batch. */
const LAST_EVENT_ID = 'finished'

const outcomes = ['passed', 'failed', 'fault'] as const
const count = z.int().min(0)
const batchSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  submittedAt: z.iso.datetime(),
  state: z.enum(['running', 'finished']).describe('`running` until each execution is finished'),
  total: count,
  waiting: count,
  running: count,
  finished: count,
  statuses: z.record(z.string(), count).describe('Finished executions by how they ended'),
  outcomes: z
    .object({ passed: count, failed: count, fault: count })
    .describe('`passed`: all tests, or without tests `success`; `fault`: says nothing about the program'),
})
const memberSchema = z.object({
  index: count.describe('Place of its job in the batch'),
  id: z.string(),
  state: z.enum(['waiting', 'running', 'finished']),
  status: openList(STATUSES).nullable().describe('Null until it is finished, or if its result has expired'),
  outcome: z.enum(outcomes).nullable(),
})
type BatchBody = z.infer<typeof batchSchema>
type MemberBody = z.infer<typeof memberSchema>

const requestSchema = fields({
  name: shortText(128).optional().describe('For people'),
  idempotencyKey: shortText(256)
    .optional()
    .describe('A repeated request with this key returns the same batch'),
  jobs: jobList(documented(jobSchema)),
})
const pageQuery = fields({
  cursor: wholeParameter(0, MAX_JOBS).optional().describe('`cursor` of the page before'),
  limit: wholeParameter(1, MAX_JOBS).default(100),
})

/** `/v1/batches`: jobs that are submitted, read, followed and cancelled together. */
export function batchRoutes(http: Http, parts: GatewayParts): void {
  const { client, callers, access, logger } = parts
  const progress = new BatchProgress(client, access.batches)
  const closing = untilClose(http)

  /** @throws {RequestRefused} 404 if the batch does not exist or is another tenant's */
  const find = async ({ tenant }: Caller, id: string): Promise<BatchRecord> => {
    const batch = await access.batches.find(id)
    if (batch !== undefined && (tenant === undefined || tenant === batch.tenant)) return batch
    const detail = `There is no batch ${JSON.stringify(id)}, or it has expired.`
    throw new RequestRefused({ status: 404, code: 'unknown_batch', detail })
  }

  http.post(
    '/v1/batches',
    {
      schema: {
        operationId: 'submitBatch',
        summary: `Submit up to ${MAX_JOBS} jobs as a batch`,
        description: 'If one is invalid, none is enqueued.',
        body: requestSchema,
        response: { 202: batchSchema, 409: problemSchema, ...BODY_REFUSALS },
      },
    },
    async (request, reply) => {
      const caller = await callers.identify(request.token, 'submit')
      const batch = await submitBatch(parts, caller, request.body)
      reply.code(202).header('location', `/v1/batches/${batch.id}`)
      return bodyOf(batch, await progress.view(batch))
    },
  )

  http.get(
    '/v1/batches/:id',
    {
      schema: {
        operationId: 'readBatch',
        summary: 'Read the progress of a batch',
        description: 'With `wait` it answers as soon as all executions are finished.',
        params: idPath,
        querystring: waitQuery,
        response: { 200: batchSchema, ...ID_REFUSALS },
      },
    },
    async (request, reply) => {
      const batch = await find(await callers.identify(request.token, 'read'), request.params.id)
      const { wait } = request.query
      if (wait > 0) {
        const deadline = AbortSignal.timeout(wait * 1000)
        const signal = AbortSignal.any([deadline, untilDisconnect(reply), closing])
        const ends = progress.follow(batch, { after: 0, signal })
        while (!(await ends.next()).done);
      }
      return bodyOf(batch, await progress.view(batch))
    },
  )

  http.get(
    '/v1/batches/:id/executions',
    {
      schema: {
        operationId: 'listBatchExecutions',
        summary: 'List the executions of a batch, in the order of its jobs',
        params: idPath,
        querystring: pageQuery,
        response: {
          200: z.object({ executions: z.array(memberSchema), cursor: z.string().nullable() }),
          ...ID_REFUSALS,
        },
      },
    },
    async (request) => {
      const batch = await find(await callers.identify(request.token, 'read'), request.params.id)
      const { cursor = 0, limit } = request.query
      const executions = membersOf(batch, await progress.view(batch)).slice(cursor, cursor + limit)
      const next = cursor + limit
      return { executions, cursor: next < batch.executions.length ? String(next) : null }
    },
  )

  http.get(
    '/v1/batches/:id/events',
    {
      schema: {
        operationId: 'followBatch',
        summary: 'Follow a batch',
        description:
          'Server-sent events: `execution` as each one is finished, and `finished` at the end. `Last-Event-ID` resumes.',
        params: idPath,
        headers: z.looseObject({
          'last-event-id': z
            .string()
            .regex(/^(\d{1,9}|finished)$/, { error: 'must be the id of an event' })
            .optional(),
        }),
        response: { 200: EVENT_STREAM, ...ID_REFUSALS },
      },
    },
    async (request, reply) => {
      const batch = await find(await callers.identify(request.token, 'read'), request.params.id)
      const after = request.headers['last-event-id']
      const signal = AbortSignal.any([untilDisconnect(reply), closing])
      const events = async function* (): AsyncGenerator<ServerSentEvent> {
        if (after === LAST_EVENT_ID) return
        for await (const { number, end } of progress.follow(batch, { after: Number(after ?? 0), signal })) {
          yield { id: String(number), type: 'execution', data: end }
        }
        if (signal.aborted) return
        yield { id: LAST_EVENT_ID, type: 'finished', data: bodyOf(batch, await progress.view(batch)) }
      }
      await sendEvents(reply, events(), {
        signal,
        onBroken: (err) => logger.warn({ err, requestId: request.id }, 'an event stream broke'),
      })
    },
  )

  http.delete(
    '/v1/batches/:id',
    {
      schema: {
        operationId: 'cancelBatch',
        summary: 'Cancel all executions of a batch that are not finished',
        params: idPath,
        response: {
          200: z.object({
            id: z.string(),
            cancelled: count.describe('They were waiting'),
            requested: count.describe('They were running; their workers cancel them'),
            finished: count.describe('They were finished or expired'),
          }),
          ...ID_REFUSALS,
        },
      },
    },
    async (request) => {
      const batch = await find(await callers.identify(request.token, 'submit'), request.params.id)
      const counts = { cancelled: 0, requested: 0, finished: 0, unknown: 0 }
      // From the end, so that no later job of the batch starts in the place of a cancelled one.
      const ids = batch.executions.toReversed()
      for (let at = 0; at < ids.length; at += CANCELS_AT_ONCE) {
        const outcomes = ids.slice(at, at + CANCELS_AT_ONCE).map((id) => client.cancel(id))
        for (const outcome of await Promise.all(outcomes)) counts[outcome] += 1
      }
      const { cancelled, requested, finished, unknown } = counts
      return { id: batch.id, cancelled, requested, finished: finished + unknown }
    },
  )
}

function bodyOf(batch: BatchRecord, { waiting, running, ends }: BatchView): BatchBody {
  const total = batch.executions.length
  const statuses: Record<string, number> = {}
  const counts = { passed: 0, failed: 0, fault: 0 }
  for (const { status, outcome } of ends) {
    counts[outcome] += 1
    if (status !== null) statuses[status] = (statuses[status] ?? 0) + 1
  }
  return {
    id: batch.id,
    name: batch.name,
    submittedAt: new Date(batch.submittedAt).toISOString(),
    state: ends.length < total ? 'running' : 'finished',
    total,
    waiting,
    running: running.length,
    finished: ends.length,
    statuses,
    outcomes: counts,
  }
}

function membersOf(batch: BatchRecord, { running, ends }: BatchView): MemberBody[] {
  const ended = new Map(ends.map((end) => [end.index, end]))
  const started = new Set(running)
  return batch.executions.map((id, index) => {
    const end = ended.get(index)
    if (end === undefined) {
      return { index, id, state: started.has(index) ? 'running' : 'waiting', status: null, outcome: null }
    }
    return { index, id, state: 'finished', status: end.status, outcome: end.outcome }
  })
}

function shortText(maxLength: number) {
  const error = `must be text of 1 to ${maxLength} characters`
  return z.string({ error }).min(1, { error }).max(maxLength, { error })
}
