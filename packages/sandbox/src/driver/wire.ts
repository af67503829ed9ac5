import type { Duplex } from 'node:stream'
import { encodeQuit, FrameDecoder, type InitFrame } from '@isopod/init'
import { FrameQueue } from './frame-queue.ts'

/** Unread frames at which the connection is paused; the backpressure reaches the program through init. */
const PAUSE_AT_FRAMES = 256
/**
 * Unsent bytes for the container at which reading its frames stops. Init never stops reading; a forged init that sends
 * frames without reading the answers could otherwise exhaust this process's memory.
 */
const MAX_UNTAKEN_BYTES = 256 * 1024
/** Maximum bytes of stderr kept for error messages; the engine or a broken init writes there. */
const STDERR_BYTES = 1024
/** Grace period for an idle init to quit, in milliseconds; an engine removes an exited container more cheaply. */
const QUIT_MS = 500
/** Frames that complete an answer. */
const ANSWERS = ['ready', 'preloaded', 'done', 'reset'] as const

/** Opens a demultiplexer that splits the chunks of a connection into init's frames and its stderr. */
export type OpenSplitter = (
  onFrames: (bytes: Uint8Array) => void,
  onStderr: (bytes: Uint8Array) => void,
) => { push(chunk: Buffer): void }

/** The frames between this process and the init of one container, over one stream. */
export class Wire {
  readonly #stream: Duplex
  readonly #frames = new FrameQueue<InitFrame>()
  readonly #decoder = new FrameDecoder()
  /** Type of the last frame, if it completed the answer to everything that was sent. */
  #answer: (typeof ANSWERS)[number] | undefined
  #ran = false
  #stderr = ''

  /**
   * @param stream connection to init, in both directions
   * @param openSplitter for a stream in which stdout and stderr are mixed. @default all bytes are frames
   */
  constructor(stream: Duplex, openSplitter: OpenSplitter = (onFrames) => ({ push: onFrames })) {
    this.#stream = stream
    const splitter = openSplitter(
      (bytes) => this.#decode(bytes),
      (bytes) => {
        if (this.#stderr.length < STDERR_BYTES)
          this.#stderr += Buffer.from(bytes).toString('latin1', 0, STDERR_BYTES)
      },
    )
    stream.on('data', (chunk: Buffer) => splitter.push(chunk))
    stream.on('end', () => this.#frames.end())
    stream.on('close', () => this.#frames.end())
    // A reset connection ends the frames like a closed one; the driver's `end` determines the cause.
    stream.on('error', () => this.#frames.end())
  }

  /** Whether init is alive and idle, with all its frames read. */
  get isIdle(): boolean {
    return this.#answer !== undefined && !this.#frames.ended && this.#frames.length === 0
  }

  /** Whether nothing was ever started in the container. */
  get isFresh(): boolean {
    return !this.#ran
  }

  /** Whether init sent bytes that are not a frame. */
  get isBroken(): boolean {
    return this.#decoder.broken !== undefined
  }

  /** The first bytes of stderr, for messages. */
  get stderr(): string {
    return this.#stderr.trim()
  }

  /** Never blocks; bytes wait in memory until the container reads them. */
  send(frames: Uint8Array): void {
    this.#answer = undefined
    if (!this.#stream.writable) return
    // What is sent at once leaves in one write, which wakes the engine and init once.
    if (this.#stream.writableCorked === 0) {
      this.#stream.cork()
      process.nextTick(() => this.#stream.uncork())
    }
    this.#stream.write(frames)
  }

  /** The next frame, or undefined after the last one. One reader at a time. */
  async receive(): Promise<InitFrame | undefined> {
    if (this.#stream.writableLength > MAX_UNTAKEN_BYTES) await this.#taken()
    const frame = await this.#frames.shift()
    if (this.#stream.isPaused() && this.#frames.length < PAUSE_AT_FRAMES / 2) this.#stream.resume()
    return frame
  }

  /** Stops reading; later bytes are ignored. */
  stopReading(): void {
    this.#frames.end()
  }

  /** Closes the connection, which ends init and all its descendants. */
  cut(): void {
    this.#frames.end()
    this.#stream.destroy()
  }

  /** Asks init to end, and closes the connection once it has ended or the grace period is over. */
  async quit(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, QUIT_MS)
      this.#stream.on('end', resolve).on('close', resolve)
      this.send(encodeQuit())
      this.#stream.resume()
    })
    clearTimeout(timer)
    this.#stream.destroy()
  }

  /** Waits until all sent bytes are written, or the connection is closed. */
  async #taken(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#stream.destroyed || !this.#stream.writableNeedDrain) return resolve()
      const over = () => {
        this.#stream.off('drain', over).off('close', over)
        resolve()
      }
      this.#stream.on('drain', over).on('close', over)
    })
  }

  #decode(bytes: Uint8Array): void {
    // A destroyed container may still send data.
    if (this.#frames.ended) return
    try {
      for (const frame of this.#decoder.push(bytes)) {
        this.#frames.push(frame)
        this.#answer = ANSWERS.find((answer) => answer === frame.type)
        this.#ran ||= frame.type === 'started' || frame.type === 'done' || frame.type === 'preloaded'
      }
      if (this.#decoder.broken !== undefined) throw this.#decoder.broken
    } catch {
      // After an invalid frame, no later byte can be trusted.
      this.cut()
      return
    }
    if (this.#frames.length >= PAUSE_AT_FRAMES) this.#stream.pause()
  }
}
