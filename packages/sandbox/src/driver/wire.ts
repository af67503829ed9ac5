import type { Duplex } from 'node:stream'
import { encodeQuit, FrameDecoder, type InitFrame } from '@isopod/init'
import { FrameQueue } from './frame-queue.ts'

/** Unread frames at which the connection is paused; init then holds the program back in turn. */
const PAUSE_AT_FRAMES = 256
/**
 * Untaken bytes for the container at which reading its frames stops. Init takes what is sent to it at any time; a forged
 * init that only sends could otherwise fill this process with the answers.
 */
const MAX_UNTAKEN_BYTES = 256 * 1024
/** Bytes of stderr that are kept for a message; the engine or a broken init writes there. */
const STDERR_BYTES = 1024
/** Grace for an idle init to quit, in milliseconds: removing a container that has ended is cheaper for an engine. */
const QUIT_MS = 500
/** Frames that complete an answer. */
const ANSWERS = ['ready', 'preloaded', 'done', 'reset'] as const

/** Takes chunks of a connection, and passes on the bytes of init's stdout and stderr. */
export type OpenSplitter = (
  onFrames: (bytes: Uint8Array) => void,
  onStderr: (bytes: Uint8Array) => void,
) => { push(chunk: Buffer): void }

/** The frames between this process and the init of one container, over one stream. */
export class Wire {
  readonly #stream: Duplex
  readonly #frames = new FrameQueue<InitFrame>()
  readonly #decoder = new FrameDecoder()
  /** The last frame, if it completed the answer to all that was sent. */
  #answer: (typeof ANSWERS)[number] | undefined
  #ran = false
  #stderr = ''

  /**
   * @param stream takes frames for init, and gives what init writes
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
    // A reset connection ends the frames like a closed one; the driver's `end` says what it means.
    stream.on('error', () => this.#frames.end())
  }

  /** Whether init is alive and idle, with all its frames read. */
  get waits(): boolean {
    return this.#answer !== undefined && !this.#frames.ended && this.#frames.length === 0
  }

  /** Whether nothing was ever started in the container. */
  get isFresh(): boolean {
    return !this.#ran
  }

  /** Whether bytes came that are no frame. */
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
    if (this.#stream.writable) this.#stream.write(frames)
  }

  /** The next frame, or undefined once there are none. One reader at a time. */
  async receive(): Promise<InitFrame | undefined> {
    if (this.#stream.writableLength > MAX_UNTAKEN_BYTES) await this.#taken()
    const frame = await this.#frames.shift()
    if (this.#stream.isPaused() && this.#frames.length < PAUSE_AT_FRAMES / 2) this.#stream.resume()
    return frame
  }

  /** Ends the frames; later bytes are not read. */
  end(): void {
    this.#frames.end()
  }

  /** Cuts the connection: init ends, and everything below it. */
  cut(): void {
    this.#frames.end()
    this.#stream.destroy()
  }

  /** Asks init to end, and cuts the connection if it does not in time. Resolves when it has ended or was cut. */
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

  /** Waits until the container has taken all that was sent, or its connection is closed. */
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
    // A destroyed container may still send much.
    if (this.#frames.ended) return
    try {
      for (const frame of this.#decoder.push(bytes)) {
        this.#frames.push(frame)
        this.#answer = ANSWERS.find((answer) => answer === frame.type)
        this.#ran ||= frame.type === 'started' || frame.type === 'done' || frame.type === 'preloaded'
      }
      if (this.#decoder.broken !== undefined) throw this.#decoder.broken
    } catch {
      // A broken wire ends the container: no later byte can be believed.
      this.cut()
      return
    }
    if (this.#frames.length >= PAUSE_AT_FRAMES) this.#stream.pause()
  }
}
