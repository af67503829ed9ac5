/** Factor from one pause to the next. */
const FACTOR = 3
/** Maximum deviation, as a share of the pause: webhooks that failed together are not retried together. */
const JITTER = 0.2

/**
 * The pause after a failed attempt, in milliseconds: for 5 s as the first one 5 s, 15 s, 45 s, 2 min, 7 min, 20 min, 1 h,
 * 3 h, 9 h.
 *
 * @param tries attempts so far, from 1
 * @param random from 0 to 1
 */
export function pauseAfter(tries: number, firstMs: number, random: number = Math.random()): number {
  return firstMs * FACTOR ** (tries - 1) * (1 + JITTER * (2 * random - 1))
}
