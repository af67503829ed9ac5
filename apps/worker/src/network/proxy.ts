import { createServer, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { DialError, dial } from '@isopod/egress'
import { readTarget, showTarget } from './allow-list.ts'
import type { Egress } from './profiles.ts'
import { Allowance, AllowanceSpent, IdleTooLong, relay, type Traffic } from './relay.ts'

const MAX_HEADER_BYTES = 8 * 1024
/** How long a connection may take to send its request; and to go, once it was refused. */
const PATIENCE_MS = 10_000

const JOB_ENDED = 'the job ended'
const ONLY_CONNECT = 'only CONNECT is answered, which https uses'

/** How one connection of a program ended. Never anything of its content. */
export interface EgressEvent {
  readonly profile: string
  /** `host:port` as it was asked for, in canonical form; null if the request was none. */
  readonly target: string | null
  /** `cut`: it was allowed, and ended by a limit of the profile. */
  readonly outcome: 'allowed' | 'refused' | 'failed' | 'cut'
  /** Why, as the end of a sentence; null when it was allowed and ended by itself. */
  readonly reason: string | null
  readonly bytesUp: number
  readonly bytesDown: number
  readonly ms: number
}

/** The way out of one job. */
export interface Proxy {
  /** Takes a connection of the program. */
  accept(connection: Duplex): void
  /** Ends every connection; resolves when each has been told of, after which nothing is told any more. */
  close(): Promise<void>
}

/**
 * Makes the proxy of one job: it answers CONNECT for the targets of a profile and nothing else. It listens nowhere; only
 * who is given to `accept` can speak to it.
 */
export function openProxy(egress: Egress, observe: (event: EgressEvent) => void): Proxy {
  const closing = new AbortController()
  const clients = new Set<Duplex>()
  /** What is still to be told of. */
  const running = new Set<Promise<unknown>>()
  const asked = new WeakSet<Duplex>()
  const patience = new WeakMap<Duplex, NodeJS.Timeout>()
  const allowance = new Allowance(egress.max_bytes)
  let accepted = 0
  let relaying = 0

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    if (!isFirst(request.socket)) return
    request.resume()
    tell('refused', null, ONLY_CONNECT)
    response.writeHead(405, { allow: 'CONNECT', connection: 'close', 'content-type': 'text/plain' })
    response.end(`The request: ${ONLY_CONNECT}.\n`)
  })
  server.on('connect', (request, client: Duplex, head) => {
    if (isFirst(client)) awaited(connected(request.url ?? '', client, head))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, client: Duplex) => {
    if (!client.writable || !isFirst(client)) return
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
    if (tooLarge) refuse(client, 431, null, `its header is larger than ${MAX_HEADER_BYTES} bytes`)
    else refuse(client, 400, null, 'it is not HTTP')
  })

  /** A connection has one request. A second one, sent ahead, would be one more line of log for each few bytes. */
  function isFirst(client: Duplex): boolean {
    if (!asked.has(client)) {
      asked.add(client)
      return true
    }
    client.destroy()
    return false
  }

  function awaited(work: Promise<unknown>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  /** Node looks after slow connections only where it listens itself. */
  function bePatient(client: Duplex): void {
    clearTimeout(patience.get(client))
    patience.set(
      client,
      setTimeout(() => client.destroy(), PATIENCE_MS),
    )
  }

  function accept(client: Duplex): void {
    const came = performance.now()
    if (closing.signal.aborted || ++accepted > egress.max_total_connections) {
      // Said once: who does this does it in a loop.
      if (accepted === egress.max_total_connections + 1)
        tell('refused', null, 'the job has had all its connections')
      client.destroy()
      return
    }
    clients.add(client)
    bePatient(client)
    client.on('error', () => {})
    const closed = new Promise<void>((resolve) => client.once('close', resolve))
    awaited(
      closed.then(() => {
        clearTimeout(patience.get(client))
        clients.delete(client)
        if (!asked.has(client)) tell('failed', null, 'it made no request', undefined, came)
      }),
    )
    server.emit('connection', client)
  }

  async function connected(url: string, client: Duplex, head: Buffer): Promise<void> {
    clearTimeout(patience.get(client))
    const started = performance.now()
    const traffic: Traffic = { up: 0, down: 0 }
    const target = readTarget(url)
    const name = target === undefined ? null : showTarget(target)
    if (target === undefined) return refuse(client, 400, null, 'the target must be host:port')
    if (!egress.allowList.allows(target)) {
      return refuse(client, 403, name, `it is not in the profile ${egress.name}`)
    }
    if (relaying >= egress.max_connections) {
      return refuse(client, 429, name, `the job has ${egress.max_connections} connections already`)
    }
    relaying++
    try {
      const timeout = AbortSignal.timeout(egress.connect_timeout_seconds * 1000)
      const signal = AbortSignal.any([closing.signal, timeout])
      const upstream = await dial(target, { allowPrivate: egress.allowPrivate, signal })
      if (head.byteLength > 0) client.unshift(head)
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      const idleMs = egress.idle_timeout_seconds * 1000
      await relay(client, upstream, { allowance, traffic, idleMs })
      tell('allowed', name, null, traffic, started)
    } catch (error) {
      if (error instanceof DialError) {
        refuse(client, error.outcome === 'refused' ? 403 : 502, name, error.message, error.outcome, started)
      } else if (error instanceof AllowanceSpent)
        tell('cut', name, 'the job has used up its bytes', traffic, started)
      else if (error instanceof IdleTooLong) tell('cut', name, 'it was silent for too long', traffic, started)
      else tell('allowed', name, closing.signal.aborted ? JOB_ENDED : 'it broke off', traffic, started)
    } finally {
      relaying--
    }
  }

  function refuse(
    client: Duplex,
    status: number,
    target: string | null,
    reason: string,
    outcome: 'refused' | 'failed' = 'refused',
    started?: number,
  ): void {
    tell(outcome, target, reason, undefined, started)
    if (client.destroyed) return
    bePatient(client)
    const body = `${target ?? 'The request'}: ${reason}.\n`
    // Ended, not destroyed: the program should read why. If it does not go, patience ends it.
    client.resume()
    client.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  }

  function tell(
    outcome: EgressEvent['outcome'],
    target: string | null,
    reason: string | null,
    { up, down }: Traffic = { up: 0, down: 0 },
    started = performance.now(),
  ): void {
    const ms = Math.round(performance.now() - started)
    observe({ profile: egress.name, target, outcome, reason, bytesUp: up, bytesDown: down, ms })
  }

  return {
    accept,
    async close() {
      closing.abort(new Error(JOB_ENDED))
      for (const client of clients) client.destroy()
      await Promise.all(running)
    },
  }
}
