import { QueueFullError, StorageFullError, TenantQueueFullError } from '@isopod/client'
import { type FieldProblem, InvalidJobError, IsopodError } from '@isopod/protocol'
import { errorCode, httpStatusOf } from '@isopod/service-kit'
import { z } from 'zod'

/** A refusal as RFC 9457 describes it. `code` is stable and meant for programs, `detail` for people. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  /** The refused fields, if the request was invalid. */
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  /** How long a job would wait, in seconds, if the queue is full and that can be predicted. */
  predictedWaitSeconds: z.number().optional(),
  requestId: z.string(),
})

/** The body of a refusal. */
export type ProblemDocument = z.infer<typeof problemSchema>

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'An API key is needed',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'The request took too long to arrive',
  409: 'Conflict',
  413: 'The request is too large',
  414: 'The path is too long',
  415: 'Unsupported media type',
  429: 'Too many requests',
  431: 'The headers are too large',
  500: 'Internal error',
  501: 'Not implemented',
  503: 'Unavailable',
}

/** Maximum length of a field's name in a refusal. */
const MAX_FIELD_LENGTH = 255

/** The content of a {@link RequestRefused}. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[] | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly predictedWaitSeconds?: number | null | undefined
}

/** Refuses a request. */
export class RequestRefused extends Error implements Refusal {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors: Refusal['errors']
  readonly retryAfterSeconds: number | undefined
  readonly predictedWaitSeconds: number | null | undefined

  constructor({ status, code, detail, errors, retryAfterSeconds, predictedWaitSeconds }: Refusal) {
    super(detail)
    this.status = status
    this.code = code
    this.detail = detail
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
    this.predictedWaitSeconds = predictedWaitSeconds
  }
}

/** Refuses a request with 400. */
export function badRequest(
  detail: string,
  { code = 'invalid_request', errors }: Partial<Pick<Refusal, 'code' | 'errors'>> = {},
): RequestRefused {
  return new RequestRefused({ status: 400, code, detail, errors })
}

/** Refuses a request because of its fields. */
export function invalidRequest(errors: readonly FieldProblem[]): RequestRefused {
  return badRequest(errors.map(({ message }) => message).join('; '), { errors })
}

/** Refuses a request because of one field. @param rule what is allowed: the end of a sentence that begins with the field */
export function invalidField(field: string, rule: string, code?: string): RequestRefused {
  // Names can come from the caller.
  const name = field.slice(0, MAX_FIELD_LENGTH).replaceAll(/\p{C}/gu, '\ufffd')
  const message = `${name}: ${rule}`
  return badRequest(message, { errors: [{ field: name, message }], ...(code !== undefined && { code }) })
}

/** `Retry-After` of a stopping gateway, in seconds: its successor may serve the retry. */
const RETRY_STOPPING_SECONDS = 2

/** The refusal of a gateway that is stopping. */
export function stoppingRefusal(): RequestRefused {
  return new RequestRefused({
    status: 503,
    code: 'unavailable',
    detail: 'This gateway is stopping; try again.',
    retryAfterSeconds: RETRY_STOPPING_SECONDS,
  })
}

/** `Retry-After` while Redis is unavailable, in seconds. */
const RETRY_UNAVAILABLE_SECONDS = 2

/** The refusal while as many jobs wait as may: 429 if those are the tenant's own. */
export function queueFullRefusal(full: QueueFullError | TenantQueueFullError): RequestRefused {
  const { message, code, retryAfterSeconds, predictedWaitSeconds } = full
  const status = full instanceof TenantQueueFullError ? 429 : 503
  const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  return new RequestRefused({ status, code, detail, retryAfterSeconds, predictedWaitSeconds })
}

/** Maps any error of a handler to the refusal for the caller. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof RequestRefused) return error
  if (error instanceof InvalidJobError) {
    return { status: 400, code: error.code, detail: error.message, errors: error.problems }
  }
  if (error instanceof QueueFullError || error instanceof TenantQueueFullError) return queueFullRefusal(error)
  if (error instanceof StorageFullError) {
    const { code, retryAfterSeconds } = error
    const detail = `The queue has no memory for more jobs. Try again in ${retryAfterSeconds} s.`
    return { status: 503, code, detail, retryAfterSeconds }
  }
  const status = httpStatusOf(error)
  if (error instanceof IsopodError && status !== 500) {
    const retry = status === 503 ? RETRY_UNAVAILABLE_SECONDS : undefined
    // The message of the error may name hosts, which callers must not learn.
    const detail = status === 503 ? 'The queue does not answer; try again.' : error.message
    return { status, code: String(errorCode(error)), detail, retryAfterSeconds: retry }
  }
  return (
    ofFramework(error) ?? {
      status: 500,
      code: 'internal',
      detail: 'A bug ended this request; the log of the gateway has more under its requestId.',
    }
  )
}

/** The body of a refusal. */
export function problemBody(refusal: Refusal, requestId: string): ProblemDocument {
  const { status, code, detail, errors, predictedWaitSeconds: predicted } = refusal
  return {
    type: `urn:isopod:problem:${code}`,
    title: TITLES[status] ?? 'Refused',
    status,
    detail,
    code,
    ...(errors !== undefined && { errors: errors.map(({ field, message }) => ({ field, message })) }),
    ...(predicted != null && { predictedWaitSeconds: predicted }),
    requestId,
  }
}

/** Messages that replace unclear ones of Fastify, by error code. */
const FRAMEWORK_DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The path is not UTF-8 in percent-encoding.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type: is not supported here; send application/json.',
}

/** Maps Fastify's own refusals: wrong media type, body too large, invalid path. */
function ofFramework(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  const { statusCode: status } = error
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined
  const own = 'code' in error ? FRAMEWORK_DETAILS[String(error.code)] : undefined
  return { status, code: 'invalid_request', detail: own ?? error.message }
}
