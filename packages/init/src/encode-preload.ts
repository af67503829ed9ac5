import { type ExecRequest, encodeText, startFrame } from './encode.ts'
import { MAX_MAIN_BYTES, WIRE, WireError } from './wire.ts'

/** A process to start ahead. */
export interface PreloadRequest extends Pick<ExecRequest, 'argv' | 'env' | 'cwd' | 'limits'> {
  /** Time until it must wait, in milliseconds. */
  readonly wallMs: number
  /**
   * Name of the main file in the workspace: a pipe until the program arrives, which the process waits to open.
   * @default none: the process writes a byte to its highest descriptor, `openFiles - 1`, and waits for one there
   */
  readonly mainFile?: string
  /** The process stays as a zygote and forks for each run, on request through its highest descriptor. @default false */
  readonly forks?: boolean
}

const FORKS = 16

/**
 * Starts a process that waits just before it opens its main file. Init then empties the writable mounts and answers
 * `preloaded`. The next exec with the same argv, env, cwd and limits can use it.
 *
 * @throws {WireError} when a value cannot be carried
 */
export function encodePreload({ mainFile = '', forks = false, ...request }: PreloadRequest): Uint8Array {
  const name = encodeText('preload: mainFile', mainFile)
  if (name.byteLength > MAX_MAIN_BYTES || mainFile.includes('/')) {
    throw new WireError(`preload: mainFile must be a plain name of at most ${MAX_MAIN_BYTES} bytes`)
  }
  const prefix = new Uint8Array(2 + name.byteLength)
  new DataView(prefix.buffer).setUint16(0, name.byteLength, true)
  prefix.set(name, 2)
  return startFrame(WIRE.preload, prefix, { ...request, stdoutLimit: 0, stderrLimit: 0 }, forks ? FORKS : 0)
}
