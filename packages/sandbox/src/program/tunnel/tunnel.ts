import type { Duplex } from 'node:stream'
import { MAX_NET_STREAMS, type NetFrame, WireError } from '@isopod/init'
import { TunnelStream } from './tunnel-stream.ts'

/**
 * Maximum number of streams: the connections that init can have, and as many ended ones with unread bytes. Init opens no more, so
 * more mean a broken wire.
 */
const MAX_STREAMS = 2 * MAX_NET_STREAMS

/** The two sides of a tunnel. */
export interface TunnelOptions {
  /** Sends frames to init. */
  readonly send: (frame: Uint8Array) => void
  /** Takes each connection of the program. */
  readonly onConnection: (connection: Duplex) => void
}

/** All connections of one run: turns init's frames into streams of Node. */
export class Tunnel {
  readonly #options: TunnelOptions
  readonly #streams = new Map<number, TunnelStream>()
  #lastId = 0
  #closed = false

  constructor(options: TunnelOptions) {
    this.#options = options
  }

  /** Number of open connections. */
  get size(): number {
    return this.#streams.size
  }

  /**
   * Takes one frame.
   *
   * @throws {WireError} for a frame that Isopod's init never sends; the caller then ends the container
   */
  take(frame: NetFrame): void {
    if (frame.type === 'netOpen') {
      this.#open(frame.stream)
      return
    }
    if (frame.stream > this.#lastId || frame.stream === 0) {
      throw new WireError(`${frame.type} of stream ${frame.stream}, which was never opened`)
    }
    const stream = this.#streams.get(frame.stream)
    // Dropped here while the frame was on its way.
    if (stream === undefined) return
    switch (frame.type) {
      case 'netData':
        stream.receive(frame.data)
        break
      case 'netEnd':
        stream.finish()
        break
      case 'netReset':
        stream.reset()
        break
      case 'netCredit':
        stream.grant(frame.bytes)
        break
      default:
        frame satisfies never
    }
  }

  /** Ends all connections: the run is over. */
  close(): void {
    this.#closed = true
    for (const stream of [...this.#streams.values()]) stream.destroy()
  }

  #open(id: number): void {
    // Numbers continue over the runs of a container and are never reused, so the first number of a run can be any.
    const next = this.#lastId === 0 ? id > 0 : id === this.#lastId + 1
    if (!next) throw new WireError(`stream ${id} is opened after ${this.#lastId}`)
    if (this.#streams.size >= MAX_STREAMS) throw new WireError(`more than ${MAX_STREAMS} streams are open`)
    this.#lastId = id
    const stream = new TunnelStream(id, {
      send: (frame) => {
        if (!this.#closed) this.#options.send(frame)
      },
      onClose: () => this.#streams.delete(id),
    })
    // Without a listener, a broken connection would end the worker; the proxy may listen later.
    stream.on('error', () => {})
    this.#streams.set(id, stream)
    this.#options.onConnection(stream)
  }
}
