import type { ServerResponse } from 'node:http'

/** How long a reader may take nothing of its answer, in milliseconds. */
const STALLED_MS = 60_000

/**
 * Hangs up on a reader that takes nothing of its answer any more: what it has not read would lie in memory for as long as it
 * likes. Called when the answer begins, as one that is waited for is silent until then.
 */
export function closeWhenStalled(response: ServerResponse, ms = STALLED_MS): void {
  response.setTimeout(ms, () => response.destroy())
}
