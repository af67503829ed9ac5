import type { IsopodClient } from '@isopod/client'

/** The part of the client that the tools use. */
export type ToolClient = Pick<IsopodClient, 'submit' | 'wait' | 'state' | 'cancel' | 'languages'>

/** A connection that opens on first use, so that clients can list the tools while Redis is unavailable. */
export class LazyConnection {
  readonly #open: () => Promise<IsopodClient>
  #client: Promise<IsopodClient> | undefined

  constructor(open: () => Promise<IsopodClient>) {
    this.#open = open
  }

  /**
   * The connected client, the same for all callers.
   *
   * @throws {UnavailableError} within 5 s if Redis does not respond; the next call tries again
   */
  client(): Promise<ToolClient> {
    if (this.#client !== undefined) return this.#client
    const opening = this.#open()
    this.#client = opening
    opening.catch(() => {
      this.#client = undefined
    })
    return opening
  }

  /** Disconnects, if there is a connection. */
  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    await client?.close()
  }
}
