import { encodeFetch } from '@isopod/init'
import { RetryableError } from '@isopod/protocol'
import type { Container } from './container.ts'

/** Largest report; a larger file is none. */
const MOST_BYTES = 4096
/** How long init may take, in milliseconds: nobody but it runs any more. */
const PATIENCE_MS = 5_000

/**
 * Fetches the file that a program leaves to say that it came to its end. To be called when its run is over.
 *
 * @param name in the workspace; links, and files with another name beside it, are not followed
 * @returns undefined if there is no such file of at most 4 KiB
 * @throws {RetryableError} if the container ends meanwhile, which no program can bring about; the signal's reason once aborted
 */
export async function fetchReport(
  container: Container,
  name: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const end = () => container.destroy()
  const patience = setTimeout(end, PATIENCE_MS)
  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    container.send(encodeFetch(name, MOST_BYTES))
    for (let frame = await container.receive(); frame; frame = await container.receive()) {
      if (frame.type === 'file') return frame.status === 0 ? frame.content : undefined
    }
    signal.throwIfAborted()
    throw new RetryableError('the container ended before its report was fetched')
  } finally {
    clearTimeout(patience)
    signal.removeEventListener('abort', end)
  }
}
