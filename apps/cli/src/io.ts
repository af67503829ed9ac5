import type { Readable, Writable } from 'node:stream'
import { visible } from '@isopod/protocol'

/** A stream to write to, and whether a person looks at it. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** Everything that a command may touch of the process it runs in. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
}

/** Writes one line about what is being done, where it can't be taken for a result. Files and problems in it were named by others. */
export function note(io: Io, line: string): void {
  io.stderr.write(`${visible(line)}\n`)
}

/** Writes and waits until the bytes have left, so that what was not written is not counted as delivered. */
export function write(output: Output, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(data, (error) => (error ? reject(error) : resolve()))
  })
}
