import { scaled } from './time-factor.ts'

/** Polls until a value is accepted or the time is up. Resolves with the last value. */
export async function eventually<T>(
  read: () => Promise<T>,
  good: (value: T) => boolean,
  withinMs = 15_000,
): Promise<T> {
  const until = Date.now() + scaled(withinMs)
  for (;;) {
    const value = await read()
    if (good(value) || Date.now() > until) return value
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
