import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

/** Maximum size of what is kept while it cannot be written, in bytes. */
const MAX_UNWRITTEN = 1024 * 1024
/** Pause before a slow reader of a pipe is tried again, in milliseconds. */
const PAUSE_MS = 100

/**
 * Writes lines to a standard stream synchronously, so that the last line before a crash is not lost. A write that fails, because the
 * stream is a file on a full disk, never throws: the lines are kept, up to a bound, and written together with a later one.
 *
 * @param write as `fs.writeSync`
 */
export function standardStream(fd: 1 | 2, write: typeof writeSync = writeSync): DestinationStream {
  let unwritten = Buffer.alloc(0)
  return {
    write(line) {
      const more = Buffer.from(line)
      if (unwritten.length + more.length <= MAX_UNWRITTEN) unwritten = Buffer.concat([unwritten, more])
      while (unwritten.length > 0) {
        try {
          unwritten = unwritten.subarray(write(fd, unwritten))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
        }
      }
    },
  }
}
