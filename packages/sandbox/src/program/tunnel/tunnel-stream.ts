import { Duplex } from 'node:stream'
import {
  encodeNetDrop,
  encodeNetFinish,
  encodeNetGrant,
  encodeNetWrite,
  MAX_NET_BYTES,
  MAX_NET_WINDOW_BYTES,
  WireError,
} from '@isopod/init'

/** The tunnel's side of a stream. */
export interface TunnelEnd {
  readonly send: (frame: Uint8Array) => void
  /** Called once, when the stream has ended in both directions or was destroyed. */
  readonly onClose: () => void
}

/**
 * One connection of a program, seen from the host: reads give what the program sends, writes reach it. Init's window bounds
 * each direction, so that no side buffers more for a slow reader.
 */
export class TunnelStream extends Duplex {
  readonly #id: number
  readonly #end: TunnelEnd
  /** Bytes that may still be written. */
  #credit = MAX_NET_WINDOW_BYTES
  /** Bytes that the program may still send. */
  #granted = MAX_NET_WINDOW_BYTES
  /** Received bytes for which the program got no new credit yet. */
  #taken = 0
  #ended = false
  #gone = false
  #waiting: { bytes: Uint8Array; done: (error?: Error | null) => void } | undefined

  constructor(id: number, end: TunnelEnd) {
    super({ allowHalfOpen: true, highWaterMark: MAX_NET_WINDOW_BYTES })
    this.#id = id
    this.#end = end
  }

  /** Receives bytes. @throws {WireError} if init exceeds its credit, sends an empty frame, or sends after the end */
  receive(data: Uint8Array): void {
    if (this.#ended) throw new WireError(`stream ${this.#id} sends after its end`)
    if (data.byteLength === 0) throw new WireError(`stream ${this.#id} sends nothing`)
    if (data.byteLength > this.#granted) throw new WireError(`stream ${this.#id} sends more than its credit`)
    this.#granted -= data.byteLength
    this.#taken += data.byteLength
    if (!this.destroyed) this.push(data)
  }

  /** The program sends no more. @throws {WireError} if its end was reported before */
  finish(): void {
    if (this.#ended) throw new WireError(`stream ${this.#id} ends twice`)
    this.#ended = true
    this.push(null)
  }

  /** The connection is gone on the program's side. */
  reset(): void {
    this.#gone = true
    this.destroy()
  }

  /** The program has read this many bytes. @throws {WireError} if it is 0, or more than was sent */
  grant(bytes: number): void {
    if (bytes === 0) throw new WireError(`stream ${this.#id} has taken nothing`)
    if (this.#credit + bytes > MAX_NET_WINDOW_BYTES)
      throw new WireError(`stream ${this.#id} has taken more than was sent`)
    this.#credit += bytes
    this.#pump()
  }

  override _read(): void {
    if (this.#taken === 0 || this.#ended) return
    this.#end.send(encodeNetGrant(this.#id, this.#taken))
    this.#granted += this.#taken
    this.#taken = 0
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    this.#waiting = { bytes: chunk, done }
    this.#pump()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#end.send(encodeNetFinish(this.#id))
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const over = this.#ended && this.writableFinished
    if (!this.#gone && !over) this.#end.send(encodeNetDrop(this.#id))
    this.#gone = true
    this.#end.onClose()
    done(error)
  }

  #pump(): void {
    while (this.#waiting !== undefined && !this.destroyed) {
      const { bytes, done } = this.#waiting
      const size = Math.min(bytes.byteLength, this.#credit, MAX_NET_BYTES)
      if (size === 0 && bytes.byteLength > 0) return
      if (size > 0) this.#end.send(encodeNetWrite(this.#id, bytes.subarray(0, size)))
      this.#credit -= size
      this.#waiting = size < bytes.byteLength ? { bytes: bytes.subarray(size), done } : undefined
      if (this.#waiting === undefined) done()
    }
  }
}
