import type { Readable, Writable } from 'node:stream'
import { visible } from '@isopod/protocol'

/** A stream to write to; `isTTY` if it is a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** Everything that a command may touch of the process it runs in. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
}

/** Writes one line about the work to stderr. Names of files and problems in it come from others, so it is made harmless. */
export function note(io: Io, line: string): void {
  io.stderr.write(`${visible(line)}\n`)
}

/** Writes and waits until the bytes have left, so that what was not written is not counted as delivered. */
export function write(output: Output, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(data, (error) => (error ? reject(error) : resolve()))
  })
}
