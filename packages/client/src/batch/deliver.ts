import { setTimeout as sleep } from 'node:timers/promises'
import { SIGNATURE_HEADER, signCallback } from './callback.ts'
import type { CallbackOptions } from './options.ts'

const TRIES = 5
/** Pause before the second try, in milliseconds; each further one is twice as long. */
const FIRST_PAUSE_MS = 1000
/** How long the receiver gets for one try, in milliseconds. */
const ANSWER_DEADLINE_MS = 10_000

/**
 * Posts a text as JSON, signed, until the receiver answers with 2xx; five times at most, over 15 s if it refuses at once. It
 * follows no redirect, which could lead anywhere.
 *
 * @param pauseMs the first pause, for tests
 * @returns whether it was delivered; if not, it may have been received and the answer lost
 * @throws the signal's reason when it aborts
 */
export async function deliver(
  { url, secret }: CallbackOptions,
  body: string,
  signal: AbortSignal,
  pauseMs = FIRST_PAUSE_MS,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    if (await post(url, secret, body, signal)) return true
    if (attempt === TRIES) return false
    await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

async function post(url: string, secret: string, body: string, signal: AbortSignal): Promise<boolean> {
  // Each try has a signature of its own: the receiver may refuse an old one.
  const signature = signCallback(body, secret, Math.floor(Date.now() / 1000))
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]),
    })
    // What it has to say is not read: it could be without end.
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
