import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** One connection through a {@link Link}: both ends, and whether bytes pass. */
interface Passage {
  readonly ends: readonly [near: Socket, far: Socket]
  isForgotten: boolean
}

/** A relay between two unix sockets that does to connections what networks do. */
export class Link {
  readonly path: string
  readonly #target: string
  readonly #passages = new Set<Passage>()
  #server: Server | undefined
  #forgets = false
  #losesAnswers = false
  #delayMs: () => number = () => 0

  constructor(path: string, target: string) {
    this.path = path
    this.#target = target
  }

  /** Accepts connections. */
  async open(): Promise<void> {
    if (this.#server !== undefined) return
    await rm(this.path, { force: true })
    // Half-open, because the attached streams of an engine end one direction at a time.
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#accept(near)).listen(this.path)
    await once(this.#server, 'listening')
  }

  /** Breaks all connections and refuses new ones until `open`. */
  async cut(): Promise<void> {
    this.#server?.close()
    this.#server = undefined
    this.breakAll()
    await rm(this.path, { force: true })
  }

  /** Breaks all connections once. */
  breakAll(): void {
    for (const { ends } of this.#passages) for (const end of ends) end.destroy()
  }

  /**
   * Forgets all connections, as a peer that lost its power: they stay open, but no byte passes any more, ever. New connections are
   * forgotten too until `remember`.
   */
  forget(): void {
    this.#forgets = true
    for (const passage of this.#passages) passage.isForgotten = true
  }

  /** Lets new connections pass again. Forgotten ones stay silent. */
  remember(): void {
    this.#forgets = false
  }

  /** Drops what the server sends, until called with false. Connections that lost an answer are broken then. */
  async loseAnswers(isLosing: boolean): Promise<void> {
    this.#losesAnswers = isLosing
    if (!isLosing) this.breakAll()
  }

  /** Delays every chunk in both directions. */
  delay(ms: () => number): void {
    this.#delayMs = ms
  }

  async close(): Promise<void> {
    await this.cut()
  }

  #accept(near: Socket): void {
    const far = connectSocket({ path: this.#target, allowHalfOpen: true })
    const passage: Passage = { ends: [near, far], isForgotten: this.#forgets }
    this.#passages.add(passage)
    this.#pass(passage, near, far, false)
    this.#pass(passage, far, near, true)
  }

  #pass(passage: Passage, from: Socket, to: Socket, isAnswer: boolean): void {
    let passed: Promise<unknown> = Promise.resolve()
    const isMute = () => passage.isForgotten || (isAnswer && this.#losesAnswers)
    from.on('data', (chunk: Buffer) => {
      const ms = this.#delayMs()
      const write = () => {
        if (isMute() || to.write(chunk)) return
        from.pause()
        to.once('drain', () => from.resume())
      }
      passed = ms === 0 ? passed.then(write) : Promise.all([passed, sleep(ms)]).then(write)
    })
    from.on('end', () => void passed.then(() => isMute() || to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      this.#passages.delete(passage)
      // What is on its way arrives first, as on a real network.
      void passed.then(() => to.destroySoon())
    })
  }
}
