import type { ServerResponse } from 'node:http'

/** How long a reader may read nothing of its response, in milliseconds. */
const STALLED_MS = 60_000

/**
 * Closes the connection of a reader that stops reading, because its unread response stays in memory. Call it when the
 * response begins: before that a connection that waits for a result is silent.
 */
export function closeWhenStalled(response: ServerResponse, ms = STALLED_MS): void {
  response.setTimeout(ms, () => response.destroy())
}
