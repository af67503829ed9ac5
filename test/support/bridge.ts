import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net'

/** A relay to the engine's socket whose connections can be cut, so that no test has to stop the engine itself. */
export class Bridge {
  readonly path: string
  readonly #to: string
  readonly #open = new Set<Socket>()
  readonly #attached = new Set<Socket>()
  #server: Server | undefined
  #breakOnce: RegExp | undefined
  #onOutput: { readonly text: string; readonly act: () => void } | undefined
  #frozen = false

  constructor(path: string, to: string) {
    this.path = path
    this.#to = to
  }

  /** Starts to accept connections. */
  async mend(): Promise<void> {
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connectSocket({ path: this.#to, allowHalfOpen: true })
      near.on('data', (chunk: Buffer) => {
        const request = chunk.toString('latin1', 0, 200)
        if (/^POST \S*\/attach\?/.test(request)) this.#attached.add(near)
        if (!this.#breakOnce?.test(request)) return
        this.#breakOnce = undefined
        far.once('data', () => setImmediate(() => near.destroy()))
      })
      far.on('data', (chunk: Buffer) => {
        if (this.#onOutput === undefined || !this.#attached.has(near)) return
        const { text, act } = this.#onOutput
        if (!chunk.includes(text)) return
        this.#onOutput = undefined
        act()
      })
      near.on('close', () => this.#attached.delete(near))
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#open.add(one)
        one.on('error', () => other.destroy())
        one.on('close', () => {
          this.#open.delete(one)
          other.destroy()
        })
        one.pipe(other)
        if (this.#frozen) one.pause()
      }
    }).listen(this.path)
    await once(this.#server, 'listening')
  }

  /** Cuts the connection of the next matching request in the middle of the engine's response. */
  breakAnswerTo(request: RegExp): void {
    this.#breakOnce = request
  }

  /** Whether no matching request has arrived yet. */
  get waitsToBreak(): boolean {
    return this.#breakOnce !== undefined
  }

  /** Calls `act` once, when a container first prints this text, before the text is passed on. */
  onOutput(text: string, act: () => void): void {
    this.#onOutput = { text, act }
  }

  /** Cuts only the connections to running containers. @returns their number */
  cutAttached(): number {
    const attached = [...this.#attached]
    for (const socket of attached) socket.destroy()
    return attached.length
  }

  /** Passes no byte on, as an engine that is stopped, until {@link thaw}. */
  freeze(): void {
    this.#frozen = true
    for (const socket of this.#open) socket.pause()
  }

  /** Passes everything on again. */
  thaw(): void {
    this.#frozen = false
    for (const socket of this.#open) socket.resume()
  }

  /** Cuts all connections and refuses new ones until {@link mend}. */
  async cut(): Promise<void> {
    this.#server?.close()
    for (const socket of this.#open) socket.destroy()
    await rm(this.path, { force: true })
  }
}
