import type { Readable, Writable } from 'node:stream'
import { visible } from '@isopod/protocol'

/** A stream to write to; `isTTY` if it is a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** The parts of the process that a command uses. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
}

/** Writes one line to stderr. Escapes it, because names of files and problems can be hostile. */
export function note(io: Io, line: string): void {
  io.stderr.write(`${visible(line)}\n`)
}

/** Resolves once the stream has taken the data, so that unwritten data does not count as delivered. */
export function write(output: Output, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(data, (error) => (error ? reject(error) : resolve()))
  })
}
