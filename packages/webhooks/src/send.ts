import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { DialError, type DialRules, dial } from '@isopod/egress'
import { rangesFor, type TargetRules, targetOf } from './targets.ts'

/** Maximum time for the connection, within the timeout of the attempt. */
const MAX_CONNECT_MS = 5_000
/** Bounds on reading and discarding the body of a response; beyond them the connection is closed. */
const MAX_DISCARDED_BYTES = 64 * 1024
const DISCARD_MS = 1_000

/** One request. */
export interface WebhookRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Targets, timeout and abort signal of one request. */
export interface SendRules {
  readonly targets: TargetRules
  readonly timeoutMs: number
  /** Aborts the request, which then ends as `failed`. */
  readonly signal: AbortSignal
  readonly resolve?: DialRules['resolve']
}

/** The outcome of a request: a response of any status, a target that is not allowed, or no response. */
export type Sent =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

/**
 * Sends one request over its own connection to an address that was checked. It follows no redirects, ignores proxy
 * variables of the environment, and discards the body of the response. Never rejects.
 */
export async function send(outgoing: WebhookRequest, rules: SendRules): Promise<Sent> {
  const timeout = AbortSignal.timeout(rules.timeoutMs)
  const signal = AbortSignal.any([rules.signal, timeout])
  let connection: Socket | undefined
  try {
    connection = await connect(outgoing.url, rules, signal)
    return { kind: 'answered', status: await exchange(connection, outgoing, signal) }
  } catch (error) {
    if (error instanceof DialError) return { kind: error.outcome, reason: error.message }
    if (timeout.aborted) return { kind: 'failed', reason: `no answer within ${rules.timeoutMs / 1000} s` }
    return { kind: 'failed', reason: `the connection failed${codeOf(error)}` }
  } finally {
    connection?.destroy()
  }
}

async function connect(url: URL, rules: SendRules, signal: AbortSignal): Promise<Socket> {
  const target = targetOf(url)
  const { host } = target
  const socket = await dial(target, {
    allowPrivate: rangesFor(host, rules.targets),
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_CONNECT_MS)]),
    ...(rules.resolve && { resolve: rules.resolve }),
  })
  if (url.protocol !== 'https:') return socket
  // The certificate must match the host name, not the address; NODE_TLS_REJECT_UNAUTHORIZED must not turn the check off.
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  try {
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** @returns the status of the response */
async function exchange(
  connection: Socket,
  { method, url, headers, body }: WebhookRequest,
  signal: AbortSignal,
): Promise<number> {
  const sent = request({
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
    createConnection: () => connection,
  })
  const answered: Promise<IncomingMessage[]> = once(sent, 'response', { signal })
  // A response may arrive before the whole request is sent; later errors do not matter.
  sent.on('error', () => {})
  sent.end(body)
  const [answer] = await answered
  if (answer === undefined) throw new Error('no answer')
  await discard(answer)
  return answer.statusCode ?? 0
}

/** Reads the rest of a short response, so that the receiver sees no broken connection; stops at a long or slow one. */
async function discard(answer: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => answer.destroy(), DISCARD_MS)
  let bytes = 0
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length
      if (bytes > MAX_DISCARDED_BYTES) break
    }
  } catch {
    // Only the status matters, and it has arrived.
  } finally {
    clearTimeout(timer)
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? ` (${code})` : ''
}
