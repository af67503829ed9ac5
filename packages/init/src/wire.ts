/**
 * The frame types of init's wire in both directions: `type u8, length u32 little-endian, payload`.
 * `native/frames/wire.h` has the same table; a test compares the two.
 *
 * | code | host → init | payload |
 * | --- | --- | --- |
 * | 0x01 | put file | mode u16, path length u16, path, content |
 * | 0x02 | exec | wallMs, cpuMs, stdoutLimit, stderrLimit, flags as u32; numbers of limits, argv, env as u16; resource, value of each limit as u32; cwd, argv…, env… each with a u32 length |
 * | 0x03 | stdin | bytes; an empty frame ends it |
 * | 0x04 | kill | reason u8 |
 * | 0x05 | reset | none |
 * | 0x06 | fetch | maximum bytes u32, path |
 * | 0x07 | quit | none |
 * | 0x08 | net write | stream u32, bytes, at most 16 KiB |
 * | 0x09 | net finish | stream u32: no more bytes come |
 * | 0x0a | net drop | stream u32: the connection is gone |
 * | 0x0b | net grant | stream u32, bytes u32 that may be sent in addition |
 * | 0x0c | inspect | none |
 * | 0x0d | preload | main file length u16, main file, then as exec |
 * | 0x0e | snapshot | none |
 * | 0x0f | restore | none |
 *
 * | code | init → host | payload |
 * | --- | --- | --- |
 * | 0x81 | ready | JSON {@link Ready} |
 * | 0x82, 0x83 | stdout, stderr | bytes, at most 64 KiB |
 * | 0x84 | started | JSON, see `Started` |
 * | 0x85 | sample | JSON {@link RunSample} |
 * | 0x86 | done | JSON {@link Done} |
 * | 0x87 | file | status u8 (0 or an errno), content |
 * | 0x88 | fault | JSON {@link Fault} |
 * | 0x89 | reset done | JSON {@link Reset} |
 * | 0x8a | net open | stream u32: the program has connected |
 * | 0x8b | net data | stream u32, bytes, at most 16 KiB |
 * | 0x8c | net end | stream u32: no more bytes come |
 * | 0x8d | net reset | stream u32: the connection is gone |
 * | 0x8e | net credit | stream u32, bytes u32 that may be sent in addition |
 * | 0x8f | preloaded | JSON {@link Preloaded} |
 * | 0x90 | snapshot done | JSON {@link SnapshotDone} |
 */
export const WIRE = {
  putFile: 0x01,
  exec: 0x02,
  stdin: 0x03,
  kill: 0x04,
  reset: 0x05,
  fetch: 0x06,
  quit: 0x07,
  netWrite: 0x08,
  netFinish: 0x09,
  netDrop: 0x0a,
  netGrant: 0x0b,
  inspect: 0x0c,
  preload: 0x0d,
  snapshot: 0x0e,
  restore: 0x0f,
  ready: 0x81,
  stdout: 0x82,
  stderr: 0x83,
  started: 0x84,
  sample: 0x85,
  done: 0x86,
  file: 0x87,
  fault: 0x88,
  resetDone: 0x89,
  netOpen: 0x8a,
  netData: 0x8b,
  netEnd: 0x8c,
  netReset: 0x8d,
  netCredit: 0x8e,
  preloaded: 0x8f,
  snapshotDone: 0x90,
} as const

/** Version of the wire, as in init's ready frame. */
export const WIRE_VERSION = 1
/** Bytes of a frame's header. */
export const HEADER_BYTES = 5
/** Largest payload that init accepts: a file of 5 MiB with room for its path. */
export const MAX_HOST_PAYLOAD_BYTES = 6 * 1024 * 1024
/** Maximum content of a put file; the rest of the payload is for its path. */
export const MAX_PUT_BYTES = MAX_HOST_PAYLOAD_BYTES - 8192
/** Largest payload that init sends: a fetched file with its status byte. */
export const MAX_INIT_PAYLOAD_BYTES = 11 * 1024 * 1024
/** Maximum bytes of a stdout or stderr frame. */
export const MAX_STREAM_BYTES = 64 * 1024
/** Maximum bytes of a JSON payload. */
export const MAX_JSON_BYTES = 4096
/** Maximum bytes of an exec frame: argv and environment with their lengths. */
export const MAX_EXEC_BYTES = 256 * 1024
/** Maximum strings of an exec frame: argv and environment together. */
export const MAX_EXEC_STRINGS = 4096
/** Maximum limits of each process in an exec frame; Linux has as many resources. */
export const MAX_PROCESS_LIMITS = 16
/** Maximum name of a main file, in bytes of UTF-8. */
export const MAX_MAIN_BYTES = 255
/** Maximum stdin that waits in init for a program that does not read it; one byte more is a fault. */
export const MAX_PENDING_STDIN_BYTES = 2 * 1024 * 1024
/** Maximum path of a put or a fetch, in bytes of UTF-8. */
export const MAX_PATH_BYTES = 4095
/** Maximum bytes of a snapshot, including the names of its files. */
export const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024
/** Maximum of simultaneous streams of a tunnel; further connections of the program wait until one ends. */
export const MAX_NET_STREAMS = 32
/** Maximum bytes of a stream's frame. */
export const MAX_NET_BYTES = 16 * 1024
/** Credit of each side when a stream opens: bytes that may be in flight in one direction. */
export const MAX_NET_WINDOW_BYTES = 32 * 1024
/** Port on 127.0.0.1 that a program with a tunnel connects to: a usual one of HTTP proxies. */
export const NET_PORT = 3128

/**
 * The wire is broken: by the other side (decoding), or by a value that no frame can carry (encoding). The message never
 * contains bytes of a program.
 */
export class WireError extends Error {
  /** Stable name for programs. */
  readonly code = 'wire'
  override get name(): string {
    return 'WireError'
  }
}
