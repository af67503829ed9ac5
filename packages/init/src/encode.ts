import { PROCESS_LIMITS, type ProcessLimits } from './process-limits.ts'
import {
  HEADER_BYTES,
  MAX_EXEC_BYTES,
  MAX_EXEC_STRINGS,
  MAX_HOST_PAYLOAD_BYTES,
  MAX_PATH_BYTES,
  MAX_PUT_BYTES,
  WIRE,
  WireError,
} from './wire.ts'

/** The start of a program. */
export interface ExecRequest {
  /** Program and arguments; a program without a slash is looked up in `env.PATH`. */
  readonly argv: readonly string[]
  /** The whole environment; nothing is added to it. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute path, or one relative to /workspace. @default '/workspace' */
  readonly cwd?: string
  /** Wall-clock limit in milliseconds, at least 1; fractions are rounded up. */
  readonly wallMs: number
  /** CPU limit of all processes together in milliseconds; 0 for none, fractions are rounded up. @default 0 */
  readonly cpuMs?: number
  /** Bytes of stdout that are passed on; the rest is counted and discarded. */
  readonly stdoutLimit: number
  /** The same for stderr. */
  readonly stderrLimit: number
  /** Ends the run at the first byte over an output limit. @default false */
  readonly killOnOverflow?: boolean
  /** Stdin frames follow; otherwise stdin is empty. @default false */
  readonly stdin?: boolean
  /** Connections to `NET_PORT` on loopback become streams of the wire. @default false: nothing listens there */
  readonly tunnel?: boolean
  /** Limits of each process. */
  readonly limits: ProcessLimits
  /** Runs in the waiting process, which must have been started with the same command. @default false: in a new one */
  readonly preloaded?: boolean
  /**
   * Passes messages on its stdin to the program one at a time: one that follows a question, once the program has answered that on
   * its stdout. Both have parts, as `process/pacing.h` says. @default false
   */
  readonly paced?: boolean
  /** After the run, init resets the container and reads its confinement again, as if asked. @default false */
  readonly resets?: boolean
}

const KILL_ON_OVERFLOW = 1
const STDIN_FOLLOWS = 2
const NET = 4
const PRELOADED = 8
const PACED = 32
const RESETS = 64
const EXEC_NUMBERS_BYTES = 5 * 4 + 3 * 2
const LIMIT_BYTES = 2 * 4
const encoder = new TextEncoder()

/**
 * Writes a file under /workspace; missing parents are created, an older file of that name is replaced.
 * @param mode permission bits, for example `0o600`
 * @throws {WireError} when path, mode or size cannot be carried
 */
export function encodePutFile(path: string, content: Uint8Array, mode = 0o600): Uint8Array {
  const name = pathBytes('put', path)
  integer('put: mode', mode, 0o777)
  if (content.byteLength > MAX_PUT_BYTES) {
    throw new WireError(`put: content must be at most ${MAX_PUT_BYTES} bytes, got ${content.byteLength}`)
  }
  const frame = header(WIRE.putFile, 4 + name.byteLength + content.byteLength)
  const view = new DataView(frame.buffer)
  view.setUint16(HEADER_BYTES, mode, true)
  view.setUint16(HEADER_BYTES + 2, name.byteLength, true)
  frame.set(name, HEADER_BYTES + 4)
  frame.set(content, HEADER_BYTES + 4 + name.byteLength)
  return frame
}

/**
 * Starts a program. Init answers `started` and, at its end, `done`; only `done` if it could not start.
 * @throws {WireError} when a value cannot be carried: NUL in a string, a number out of range, over 256 KiB or 4096 strings
 */
export function encodeExec(request: ExecRequest): Uint8Array {
  return startFrame(WIRE.exec, new Uint8Array(0), request)
}

/** A prefix, then what starts a process. @throws {WireError} as {@link encodeExec} */
export function startFrame(
  type: number,
  prefix: Uint8Array,
  request: ExecRequest,
  moreFlags = 0,
): Uint8Array {
  if (request.argv.length === 0) throw new WireError('exec: argv must not be empty')
  const entries = Object.entries(request.env)
  for (const [name] of entries) {
    if (name === '' || name.includes('=')) throw new WireError('exec: env must have names without "="')
  }
  if (request.argv.length + entries.length > MAX_EXEC_STRINGS) {
    throw new WireError(`exec: argv and env must be at most ${MAX_EXEC_STRINGS} texts together`)
  }
  const texts = [
    encodeText('exec: cwd', request.cwd ?? '/workspace'),
    ...request.argv.map((argument) => encodeText('exec: argv', argument)),
    ...entries.map(([name, value]) => encodeText('exec: env', `${name}=${value}`)),
  ]
  const size = texts.reduce(
    (sum, bytes) => sum + 4 + bytes.byteLength,
    prefix.byteLength + EXEC_NUMBERS_BYTES + PROCESS_LIMITS.length * LIMIT_BYTES,
  )
  if (size > MAX_EXEC_BYTES) {
    throw new WireError(`exec: argv and env must be at most ${MAX_EXEC_BYTES} bytes together, got ${size}`)
  }
  const frame = header(type, size)
  frame.set(prefix, HEADER_BYTES)
  const view = new DataView(frame.buffer)
  let offset = HEADER_BYTES + prefix.byteLength
  for (const number of execNumbers(request, moreFlags)) {
    view.setUint32(offset, number, true)
    offset += 4
  }
  for (const count of [PROCESS_LIMITS.length, request.argv.length, entries.length]) {
    view.setUint16(offset, count, true)
    offset += 2
  }
  for (const number of limitNumbers(request.limits)) {
    view.setUint32(offset, number, true)
    offset += 4
  }
  for (const bytes of texts) {
    view.setUint32(offset, bytes.byteLength, true)
    frame.set(bytes, offset + 4)
    offset += 4 + bytes.byteLength
  }
  return frame
}

function execNumbers(request: ExecRequest, moreFlags: number): number[] {
  const overflow = request.killOnOverflow === true ? KILL_ON_OVERFLOW : 0
  const stdin = request.stdin === true ? STDIN_FOLLOWS : 0
  const net = request.tunnel === true ? NET : 0
  const preloaded = request.preloaded === true ? PRELOADED : 0
  const paced = request.paced === true ? PACED : 0
  const resets = request.resets === true ? RESETS : 0
  return [
    integer('exec: wallMs', Math.ceil(request.wallMs), 0xffffffff, 1),
    integer('exec: cpuMs', Math.ceil(request.cpuMs ?? 0), 0xffffffff),
    integer('exec: stdoutLimit', request.stdoutLimit, 0xffffffff),
    integer('exec: stderrLimit', request.stderrLimit, 0xffffffff),
    overflow | stdin | net | preloaded | paced | resets | moreFlags,
  ]
}

/** Resource and value of each limit. */
function limitNumbers(limits: ProcessLimits): number[] {
  return PROCESS_LIMITS.flatMap(({ name, resource, unit, least }) => {
    const value = integer(`exec: ${name}`, limits[name], Math.floor(0xffffffff / unit), least)
    return [resource, value * unit]
  })
}

/**
 * Bytes for the program's stdin; at most 2 MiB may wait unread in init. Empty data is refused, because it would mean the end:
 * see {@link encodeStdinEnd}.
 */
export function encodeStdin(data: Uint8Array): Uint8Array {
  if (data.byteLength === 0 || data.byteLength > MAX_HOST_PAYLOAD_BYTES) {
    throw new WireError(`stdin: must be 1 to ${MAX_HOST_PAYLOAD_BYTES} bytes, got ${data.byteLength}`)
  }
  const frame = header(WIRE.stdin, data.byteLength)
  frame.set(data, HEADER_BYTES)
  return frame
}

/** The end of the program's stdin. */
export function encodeStdinEnd(): Uint8Array {
  return header(WIRE.stdin, 0)
}

/** Ends the current run, if there is one; its `done` has `killed`. */
export function encodeKill(): Uint8Array {
  return header(WIRE.kill, 1)
}

/** Kills every process but init and empties the writable mounts; init answers with a `reset` frame that proves it. */
export function encodeReset(): Uint8Array {
  return header(WIRE.reset, 0)
}

/** Takes a snapshot of the workspace's files, which replaces the one before; init answers with a `snapshotDone` frame. */
export function encodeSnapshot(): Uint8Array {
  return header(WIRE.snapshot, 0)
}

/**
 * A reset that waits for the end of the current run, so that it can be sent ahead, and then writes the files of the snapshot
 * again. Init answers with a `reset` frame; if that is not clean, init ends. A plain reset drops the snapshot.
 */
export function encodeRestore(): Uint8Array {
  return header(WIRE.restore, 0)
}

/** Asks for the container's confinement as it is now; init answers with another `ready`, also while a program runs. */
export function encodeInspect(): Uint8Array {
  return header(WIRE.inspect, 0)
}

/**
 * Asks for a regular file under /workspace.
 * @param maxBytes a larger file is refused with EFBIG as status; at most `MAX_INIT_PAYLOAD_BYTES - 1`
 */
export function encodeFetch(path: string, maxBytes: number): Uint8Array {
  const name = pathBytes('fetch', path)
  const frame = header(WIRE.fetch, 4 + name.byteLength)
  new DataView(frame.buffer).setUint32(HEADER_BYTES, integer('fetch: maxBytes', maxBytes, 0xffffffff), true)
  frame.set(name, HEADER_BYTES + 4)
  return frame
}

/** Ends init with exit code 0, and everything below it. */
export function encodeQuit(): Uint8Array {
  return header(WIRE.quit, 0)
}

/** A frame whose payload is still zeros. */
export function header(type: number, length: number): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(HEADER_BYTES + length)
  frame[0] = type
  new DataView(frame.buffer).setUint32(1, length, true)
  return frame
}

function pathBytes(what: string, path: string): Uint8Array {
  const bytes = encodeText(`${what}: path`, path)
  if (bytes.byteLength === 0 || bytes.byteLength > MAX_PATH_BYTES) {
    throw new WireError(`${what}: path must be 1 to ${MAX_PATH_BYTES} bytes, got ${bytes.byteLength}`)
  }
  return bytes
}

/** A string as UTF-8. @throws {WireError} if it has a NUL */
export function encodeText(what: string, value: string): Uint8Array {
  // C strings end at NUL, so what follows it would silently be cut off.
  if (value.includes('\0')) throw new WireError(`${what} must not contain NUL`)
  return encoder.encode(value)
}

/** Checks that a whole number is in its range. @throws {WireError} otherwise */
export function integer(what: string, value: number, max: number, min = 0): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new WireError(`${what} must be a whole number from ${min} to ${max}, got ${value}`)
  }
  return value
}
