import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

/** Sessions that are kept; a client that comes then takes the place of the one that was idle for longest. */
const MAX_SESSIONS = 1000

/** The session of one client: its transport, and since when it is idle. */
export interface Session {
  readonly transport: StreamableHTTPServerTransport
  /** Responses that are open: calls that run, and the stream of notifications. */
  open: number
  /** When the last response ended, on the clock of `performance.now()`. */
  idleSince: number
}

/** What {@link Sessions} needs. */
export interface SessionsOptions {
  /** Makes the server of one client. */
  readonly createServer: () => Server
  /** A session that is idle for this long is closed. */
  readonly idleSeconds: number
}

/** The sessions of the streamable HTTP transport. A cancellation comes in another request than the call, so they share one. */
export class Sessions {
  readonly #createServer: () => Server
  readonly #idleMs: number
  readonly #sessions = new Map<string, Session>()
  readonly #sweeper: NodeJS.Timeout

  constructor({ createServer, idleSeconds }: SessionsOptions) {
    this.#createServer = createServer
    this.#idleMs = idleSeconds * 1000
    this.#sweeper = setInterval(() => void this.#sweep(), Math.min(this.#idleMs, 60_000))
    this.#sweeper.unref()
  }

  /** The session of that id, if it is open. */
  get(id: string): Session | undefined {
    return this.#sessions.get(id)
  }

  /**
   * Makes a session; it has a place from when its client is initialized.
   *
   * @returns undefined if all places are taken by sessions in use
   */
  async open(): Promise<Session | undefined> {
    if (this.#sessions.size >= MAX_SESSIONS && !(await this.#closeLongestIdle())) return undefined
    const id = randomUUID()
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void this.#sessions.set(id, session),
    })
    const session: Session = { transport, open: 0, idleSince: performance.now() }
    transport.onclose = () => void this.#sessions.delete(id)
    // The SDK's own class does not fit its own interface under `exactOptionalPropertyTypes`.
    await this.#createServer().connect(transport as Transport)
    return session
  }

  /** Counts a response as a use of the session until it has ended. */
  use(session: Session, response: ServerResponse): void {
    session.open++
    response.once('close', () => {
      session.open--
      session.idleSince = performance.now()
    })
  }

  /** Closes all sessions, which aborts the calls that run in them. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()))
  }

  async #sweep(): Promise<void> {
    const limit = performance.now() - this.#idleMs
    const idle = this.#idle().filter(({ idleSince }) => idleSince <= limit)
    await Promise.all(idle.map(({ transport }) => transport.close()))
  }

  async #closeLongestIdle(): Promise<boolean> {
    const [first] = this.#idle().sort((one, other) => one.idleSince - other.idleSince)
    await first?.transport.close()
    return first !== undefined
  }

  #idle(): Session[] {
    return [...this.#sessions.values()].filter(({ open }) => open === 0)
  }
}
