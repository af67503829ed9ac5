/** One refused field of a request. */
export interface RefusedField {
  readonly field: string
  readonly message: string
}

/** The gateway refused a request, with a problem document. */
export class Refused extends Error {
  readonly status: number
  readonly errors: readonly RefusedField[]
  /** Seconds until a retry, if the gateway names them. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, detail: string, errors: readonly RefusedField[], retryAfterSeconds?: number) {
    super(detail)
    this.status = status
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The gateway does not answer. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('The gateway does not answer.', { cause })
  }
}

/** Session storage key of the API key. It ends with the tab, and other sites cannot use it as they could a cookie. */
const KEY = 'isopod-api-key'

/** The API key of this tab. */
export const apiKey = {
  get: (): string => sessionStorage.getItem(KEY) ?? '',
  set(token: string): void {
    if (token === '') sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, token)
  },
}

/** Options of a request. */
export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/**
 * Calls the gateway. The caller reads the body of the response.
 *
 * @throws {Refused} with the problem that the gateway names
 * @throws {ConnectionLost} if it does not answer
 */
export async function callApi(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, signal } = options
  const token = apiKey.get()
  const answer = await fetch(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
    credentials: 'omit',
    cache: 'no-store',
  }).catch((cause: unknown) => {
    signal?.throwIfAborted()
    throw new ConnectionLost(cause)
  })
  if (answer.ok) return answer
  throw await refusal(answer)
}

/** Calls the gateway and reads the JSON that it answers. @throws what {@link callApi} does */
export async function callJson<T>(path: string, options: CallOptions = {}): Promise<T> {
  const answer = await callApi(path, options)
  return (await answer.json()) as T
}

async function refusal(answer: Response): Promise<Refused> {
  const problem = (await answer.json().catch(() => ({}))) as { detail?: string; errors?: RefusedField[] }
  const retryAfter = Number(answer.headers.get('retry-after') ?? '')
  return new Refused(
    answer.status,
    problem.detail ?? `The gateway answered ${answer.status}.`,
    problem.errors ?? [],
    retryAfter > 0 ? retryAfter : undefined,
  )
}
