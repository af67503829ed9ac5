import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

/** Maximum number of sessions; beyond it a new one replaces the session that has been idle longest. */
const MAX_SESSIONS = 1000

/** The session of one client. */
export interface Session {
  readonly transport: StreamableHTTPServerTransport
  /** Number of open responses: running calls and the stream of notifications. */
  open: number
  /** Time of `performance.now()` when the last response ended. */
  idleSince: number
}

/** Options of {@link Sessions}. */
export interface SessionsOptions {
  /** Creates the server of one client. */
  readonly createServer: () => Server
  /** Idle timeout of a session. */
  readonly idleSeconds: number
}

/** The sessions of the streamable HTTP transport. They connect a call with its cancellation, which is another request. */
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

  /** The open session with that id. */
  get(id: string): Session | undefined {
    return this.#sessions.get(id)
  }

  /**
   * Opens a session. It counts from the moment its client is initialized.
   *
   * @returns undefined if there are {@link MAX_SESSIONS} sessions in use
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
    // The SDK's class does not match its own interface under `exactOptionalPropertyTypes`.
    await this.#createServer().connect(transport as Transport)
    return session
  }

  /** Keeps the session in use until the response has ended. */
  use(session: Session, response: ServerResponse): void {
    session.open++
    response.once('close', () => {
      session.open--
      session.idleSince = performance.now()
    })
  }

  /** Closes all sessions, which aborts their calls. */
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
