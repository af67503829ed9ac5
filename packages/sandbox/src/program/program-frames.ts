import { encodeExec, encodeStdin, encodeStdinEnd } from '@isopod/init'
import type { LimitsOf } from '@isopod/protocol'
import { MAX_CHANNEL_BYTES } from '../contract/pipe.ts'
import { WORKSPACE } from '../driver/confinement.ts'

const STDIN_CHUNK_BYTES = 64 * 1024

/** One process start inside a container. */
export interface ProgramRun {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly wallMs: number
  /** CPU milliseconds of all processes together; null for no such limit. */
  readonly cpuMs: number | null
  readonly outputBytes: number
  readonly killOnOverflow: boolean
  /** Limits of each process and of the container. */
  readonly limits: LimitsOf<'process' | 'container'>
  readonly stdin: string | undefined
  /** Stdin comes later, in pieces. @default false */
  readonly piped?: boolean
  /** Its stdout goes into a channel, and is not collected. @default false */
  readonly channel?: boolean
  /** It gets the messages of its channel one at a time. @default false */
  readonly paced?: boolean
  /** Init resets the container after it. @default false */
  readonly resets?: boolean
  /** The preloaded interpreter runs it. @default false */
  readonly preloaded?: boolean
}

/** Maximum number of bytes that a program may print on stdout. */
export function stdoutLimitOf({ outputBytes, channel }: Pick<ProgramRun, 'outputBytes' | 'channel'>): number {
  return channel ? MAX_CHANNEL_BYTES : outputBytes
}

/** The frames that start a program, with all of its stdin. @throws {WireError} when a value cannot be carried */
export function programFrames(program: ProgramRun, tunnel: boolean): Uint8Array[] {
  const stdin = program.stdin === undefined ? undefined : Buffer.from(program.stdin)
  const exec = encodeExec({
    wallMs: program.wallMs,
    cpuMs: program.cpuMs ?? 0,
    stdoutLimit: stdoutLimitOf(program),
    stderrLimit: program.outputBytes,
    killOnOverflow: program.killOnOverflow,
    stdin: stdin !== undefined || (program.piped ?? false),
    tunnel,
    limits: program.limits,
    preloaded: program.preloaded ?? false,
    paced: program.paced ?? false,
    resets: program.resets ?? false,
    cwd: WORKSPACE,
    argv: program.argv,
    env: program.env,
  })
  if (stdin === undefined) return [exec]
  const frames = [exec]
  for (let at = 0; at < stdin.byteLength; at += STDIN_CHUNK_BYTES) {
    frames.push(encodeStdin(stdin.subarray(at, at + STDIN_CHUNK_BYTES)))
  }
  frames.push(encodeStdinEnd())
  return frames
}
