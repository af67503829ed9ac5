import { encodeFetch } from '@isopod/init'
import { MAX_FETCHED_BYTES, RetryableError } from '@isopod/protocol'
import type { Container } from '../driver/container.ts'

/** How long init may take for one file, in milliseconds; no program runs meanwhile. */
const TIMEOUT_MS = 5_000

/**
 * Fetches a file that a program has left. To be called after its run.
 *
 * @param path in the workspace; links are not followed
 * @returns undefined if there is no such file, or it is larger
 * @throws {RetryableError} if the container ends meanwhile, which no program can cause; the signal's reason once aborted
 */
export async function fetchFile(
  container: Container,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  signal.throwIfAborted()
  container.send(encodeFetch(path, maxBytes))
  return await receiveFile(container, signal)
}

/**
 * Receives a file that has been requested.
 *
 * @returns undefined if there is no such file, or it is larger than requested
 * @throws what {@link fetchFile} throws
 */
export async function receiveFile(
  container: Container,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const end = () => container.destroy()
  const timer = setTimeout(end, TIMEOUT_MS)
  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    for (let frame = await container.receive(); frame; frame = await container.receive()) {
      if (frame.type === 'file') return frame.status === 0 ? frame.content : undefined
    }
    signal.throwIfAborted()
    throw new RetryableError('the container ended before its files were fetched')
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** Fetches the files of `paths` that exist, in order, up to the limit of all together. */
export async function fetchFiles(
  container: Container,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  let left = MAX_FETCHED_BYTES
  for (const path of paths) {
    const content = await fetchFile(container, path, left, signal)
    if (content === undefined) continue
    // A view on the connection's buffer would keep all of that alive.
    files.set(path, Uint8Array.from(content))
    left -= content.byteLength
  }
  return files
}
