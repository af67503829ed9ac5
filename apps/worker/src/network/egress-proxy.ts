import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { DialError, dial } from '@isopod/egress'
import { readTarget, showTarget } from './allow-list.ts'
import type { Egress } from './profiles.ts'
import { Allowance, AllowanceSpent, IdleTooLong, relay, type Traffic } from './relay.ts'

const MAX_HEADER_BYTES = 8 * 1024
const CLIENT_TIMEOUT_MS = 10_000

const JOB_ENDED = 'the job ended'
const ONLY_CONNECT = 'only CONNECT is answered, which https uses'

/** How one connection of a program ended. Never anything of its content. */
export interface EgressEvent {
  readonly profile: string
  /** `host:port` as requested, in canonical form; null if the request named none. */
  readonly target: string | null
  /** `cut`: it was allowed, and ended by a limit of the profile. */
  readonly outcome: 'allowed' | 'refused' | 'failed' | 'cut'
  /** Why, as the end of a sentence; null when it was allowed and ended by itself. */
  readonly reason: string | null
  readonly bytesUp: number
  readonly bytesDown: number
  readonly ms: number
}

/** What an event says besides its outcome. */
interface EventDetails {
  readonly target?: string | null
  readonly reason: string | null
  readonly traffic?: Traffic
  /** @default now */
  readonly startedAt?: number
}

/**
 * The HTTP proxy of one job: answers CONNECT for the targets of its profile. It listens on no address; connections come
 * through {@link accept}.
 */
export class EgressProxy {
  readonly #egress: Egress
  readonly #observe: (event: EgressEvent) => void
  readonly #clientTimeoutMs: number
  readonly #closing = new AbortController()
  readonly #clients = new Set<Duplex>()
  /** Connections that have no event yet. */
  readonly #running = new Set<Promise<unknown>>()
  readonly #requested = new WeakSet<Duplex>()
  readonly #timeouts = new WeakMap<Duplex, NodeJS.Timeout>()
  readonly #allowance: Allowance
  readonly #server = createServer({ maxHeaderSize: MAX_HEADER_BYTES })
  #accepted = 0
  #relaying = 0

  /**
   * @param observe called once for each connection, when it is over
   * @param clientTimeoutMs how long a connection may take to send its request, and to close after a refusal
   */
  constructor(
    egress: Egress,
    observe: (event: EgressEvent) => void,
    clientTimeoutMs: number = CLIENT_TIMEOUT_MS,
  ) {
    this.#egress = egress
    this.#observe = observe
    this.#clientTimeoutMs = clientTimeoutMs
    this.#allowance = new Allowance(egress.max_bytes)
    this.#server.on('request', (request, response) => this.#refuseMethod(request, response))
    this.#server.on('connect', (request, client: Duplex, head) => {
      if (this.#isFirst(client)) this.#track(this.#connect(request.url ?? '', client, head))
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, client: Duplex) => {
      if (!client.writable || !this.#isFirst(client)) return
      const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
      if (tooLarge)
        this.#refuse(client, 431, { reason: `its header is larger than ${MAX_HEADER_BYTES} bytes` })
      else this.#refuse(client, 400, { reason: 'it is not HTTP' })
    })
  }

  /** Takes a connection of the program. */
  accept(client: Duplex): void {
    const startedAt = performance.now()
    const maximum = this.#egress.max_total_connections
    if (this.#closing.signal.aborted || ++this.#accepted > maximum) {
      // One event, because a program can repeat this in a loop.
      if (this.#accepted === maximum + 1) {
        this.#report('refused', { reason: 'the job has had all its connections' })
      }
      client.destroy()
      return
    }
    this.#clients.add(client)
    this.#startTimeout(client)
    client.on('error', () => {})
    const closed = new Promise<void>((resolve) => client.once('close', resolve))
    this.#track(
      closed.then(() => {
        clearTimeout(this.#timeouts.get(client))
        this.#clients.delete(client)
        if (!this.#requested.has(client)) this.#report('failed', { reason: 'it made no request', startedAt })
      }),
    )
    this.#server.emit('connection', client)
  }

  /** Ends every connection. Resolves when each has had its event; no event follows. */
  async close(): Promise<void> {
    this.#closing.abort(new Error(JOB_ENDED))
    for (const client of this.#clients) client.destroy()
    await Promise.all(this.#running)
  }

  /** A connection has one request: pipelined ones would write an event for every few bytes. */
  #isFirst(client: Duplex): boolean {
    if (!this.#requested.has(client)) {
      this.#requested.add(client)
      return true
    }
    client.destroy()
    return false
  }

  #track(work: Promise<unknown>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Node times out slow connections only of servers that listen. */
  #startTimeout(client: Duplex): void {
    clearTimeout(this.#timeouts.get(client))
    this.#timeouts.set(
      client,
      setTimeout(() => client.destroy(), this.#clientTimeoutMs),
    )
  }

  async #connect(url: string, client: Duplex, head: Buffer): Promise<void> {
    clearTimeout(this.#timeouts.get(client))
    const startedAt = performance.now()
    const requested = readTarget(url)
    if (requested === undefined) return this.#refuse(client, 400, { reason: 'the target must be host:port' })
    const target = showTarget(requested)
    const { name, allowList, max_connections } = this.#egress
    if (!allowList.allows(requested)) {
      return this.#refuse(client, 403, { target, reason: `it is not in the profile ${name}` })
    }
    if (this.#relaying >= max_connections) {
      return this.#refuse(client, 429, {
        target,
        reason: `the job has ${max_connections} connections already`,
      })
    }
    this.#relaying++
    const traffic: Traffic = { up: 0, down: 0 }
    try {
      await this.#relay(requested, client, head, traffic)
      this.#report('allowed', { target, reason: null, traffic, startedAt })
    } catch (error) {
      if (error instanceof DialError) {
        const { outcome, message: reason } = error
        this.#refuse(client, outcome === 'refused' ? 403 : 502, { target, reason, startedAt }, outcome)
      } else {
        this.#report(wasCut(error) ? 'cut' : 'allowed', {
          ...{ target, traffic, startedAt },
          reason: this.#whyEnded(error),
        })
      }
    } finally {
      this.#relaying--
    }
  }

  /** @throws {DialError} before the program has an answer; after it, whatever ended the connection */
  async #relay(
    target: NonNullable<ReturnType<typeof readTarget>>,
    client: Duplex,
    head: Buffer,
    traffic: Traffic,
  ): Promise<void> {
    const { allowPrivate, connect_timeout_seconds, idle_timeout_seconds } = this.#egress
    const timeout = AbortSignal.timeout(connect_timeout_seconds * 1000)
    const signal = AbortSignal.any([this.#closing.signal, timeout])
    const upstream = await dial(target, { allowPrivate, signal })
    if (head.byteLength > 0) client.unshift(head)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const idleMs = idle_timeout_seconds * 1000
    await relay(client, upstream, { allowance: this.#allowance, traffic, idleMs })
  }

  #whyEnded(error: unknown): string {
    if (error instanceof AllowanceSpent) return 'the job has used up its bytes'
    if (error instanceof IdleTooLong) return 'it was silent for too long'
    return this.#closing.signal.aborted ? JOB_ENDED : 'it broke off'
  }

  #refuseMethod(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isFirst(request.socket)) return
    request.resume()
    this.#report('refused', { reason: ONLY_CONNECT })
    response.writeHead(405, { allow: 'CONNECT', connection: 'close', 'content-type': 'text/plain' })
    response.end(`The request: ${ONLY_CONNECT}.\n`)
  }

  #refuse(
    client: Duplex,
    status: number,
    details: EventDetails,
    outcome: 'refused' | 'failed' = 'refused',
  ): void {
    this.#report(outcome, details)
    if (client.destroyed) return
    this.#startTimeout(client)
    const body = `${details.target ?? 'The request'}: ${details.reason}.\n`
    // Ended, not destroyed, so that the program can read the reason. The timeout ends a client that stays.
    client.resume()
    client.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  }

  #report(outcome: EgressEvent['outcome'], details: EventDetails): void {
    const { target = null, reason, traffic = { up: 0, down: 0 }, startedAt = performance.now() } = details
    const ms = Math.round(performance.now() - startedAt)
    const bytes = { bytesUp: traffic.up, bytesDown: traffic.down }
    this.#observe({ profile: this.#egress.name, target, outcome, reason, ...bytes, ms })
  }
}

/** Whether a limit of the profile ended an allowed connection. */
function wasCut(error: unknown): boolean {
  return error instanceof AllowanceSpent || error instanceof IdleTooLong
}
