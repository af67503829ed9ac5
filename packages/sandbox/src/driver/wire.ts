import type { Duplex } from 'node:stream'
import { encodeQuit, FrameDecoder, type InitFrame } from '@isopod/init'
import { FrameQueue } from './frame-queue.ts'

/** Unread frames at which the connection is paused; init then holds the program back in turn. */
const PAUSE_AT_FRAMES = 256
/**
 * Bytes for the container that nobody has taken, at which no more of its frames are read. Init takes what is sent to it
 * whatever else it does; one that only talks could otherwise fill this process with the answers.
 */
const MAX_UNTAKEN_BYTES = 256 * 1024
/** Of what the engine or a broken init says on stderr, only enough for a message is kept. */
const STDERR_BYTES = 1024
/** How long an init that has nothing to do gets to quit, in milliseconds. An engine has less to do for one that has ended. */
const QUIT_MS = 500
/** Frames that are the last word on what was asked. */
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
  /** Init's last word, if that answered all that was sent, so that it would take the next frame at once. */
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
    // A reset connection ends the frames like a closed one; what it means is decided by asking the engine.
    stream.on('error', () => this.#frames.end())
  }

  /** Whether init is there with nothing to do and nothing to tell. */
  get waits(): boolean {
    return this.#answer !== undefined && !this.#frames.ended && this.#frames.length === 0
  }

  /** Whether nothing was ever started in it, and perhaps nothing must be. */
  get isFresh(): boolean {
    return !this.#ran
  }

  /** Whether what came was no frame of any init. */
  get isBroken(): boolean {
    return this.#decoder.broken !== undefined
  }

  /** The beginning of what came beside the frames, for messages. */
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

  /** Ends the frames; what still comes is not read. */
  end(): void {
    this.#frames.end()
  }

  /** Cuts the connection: init ends, and everything below it. */
  cut(): void {
    this.#frames.end()
    this.#stream.destroy()
  }

  /** Has init end by itself; whoever does not in time loses the connection. Resolves when either is so. */
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

  /** Waits until all that was sent is taken, or nobody is left to take it. */
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
    // Nobody reads it any more, and it may be much.
    if (this.#frames.ended) return
    try {
      for (const frame of this.#decoder.push(bytes)) {
        this.#frames.push(frame)
        this.#answer = ANSWERS.find((answer) => answer === frame.type)
        this.#ran ||= frame.type === 'started' || frame.type === 'done' || frame.type === 'preloaded'
      }
      if (this.#decoder.broken !== undefined) throw this.#decoder.broken
    } catch {
      // A wire that breaks is a container that ended: nothing after this byte can be believed.
      this.cut()
      return
    }
    if (this.#frames.length >= PAUSE_AT_FRAMES) this.#stream.pause()
  }
}
