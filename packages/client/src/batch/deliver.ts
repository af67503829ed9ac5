import { setTimeout as sleep } from 'node:timers/promises'
import { SIGNATURE_HEADER, signCallback } from './callback.ts'
import type { CallbackOptions } from './options.ts'

const MAX_ATTEMPTS = 5
/** Pause before the second attempt, in milliseconds; doubled for each further one. */
const FIRST_PAUSE_MS = 1000
/** Timeout of one attempt, in milliseconds. */
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Posts signed JSON until the receiver answers with 2xx, up to five times. Follows no redirects, which could lead to any host.
 *
 * @param pauseMs the first pause, for tests
 * @returns whether it was delivered; if false, it may have arrived and the answer was lost
 * @throws the signal's reason when it aborts
 */
export async function deliver(
  { url, secret }: CallbackOptions,
  body: string,
  signal: AbortSignal,
  pauseMs = FIRST_PAUSE_MS,
): Promise<boolean> {
  // Not p-retry, which discards the answer to an attempt that ends after an abort.
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    if (await post(url, secret, body, signal)) return true
    if (attempt === MAX_ATTEMPTS) return false
    await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

async function post(url: string, secret: string, body: string, signal: AbortSignal): Promise<boolean> {
  // Each attempt is signed again, because receivers refuse old signatures.
  const signature = signCallback(body, secret, Math.floor(Date.now() / 1000))
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    })
    // The body is not read: it may be endless.
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
