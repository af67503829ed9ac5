import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { DialError, type DialRules, dial } from '@isopod/egress'
import { rangesFor, type TargetRules, targetOf } from './targets.ts'

/** Of the whole time that a try may take, at most so much is for the connection. */
const MAX_CONNECT_MS = 5_000
/** How much of an answer's body is read and thrown away, and for how long, before the connection is cut. */
const MAX_DISCARDED_BYTES = 64 * 1024
const DISCARD_MS = 1_000

/** One request. */
export interface WebhookRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What one request is held to. */
export interface SendRules {
  readonly targets: TargetRules
  readonly timeoutMs: number
  /** Ends it early; what it came to is then `failed`. */
  readonly signal: AbortSignal
  readonly resolve?: DialRules['resolve']
}

/** What became of a request: an answer of any status; a target that must not be called; or no answer. */
export type Sent =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

/**
 * Sends one request over a connection of its own, made to an address that was checked. Redirects are not followed, proxies of
 * the environment not used, and the body of the answer is not looked at. Never rejects.
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
  // The name's certificate is wanted, whatever address was called, and whatever the environment says about checking it.
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

/** @returns the status of the answer */
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
  // An answer may come before the whole request is sent; what breaks afterwards is of no interest.
  sent.on('error', () => {})
  sent.end(body)
  const [answer] = await answered
  if (answer === undefined) throw new Error('no answer')
  await discard(answer)
  return answer.statusCode ?? 0
}

/** Takes what is left of a short answer, so that its sender sees no broken connection; cuts a long or slow one off. */
async function discard(answer: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => answer.destroy(), DISCARD_MS)
  let bytes = 0
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length
      if (bytes > MAX_DISCARDED_BYTES) break
    }
  } catch {
    // The status has come, and nothing else counts.
  } finally {
    clearTimeout(timer)
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? ` (${code})` : ''
}
