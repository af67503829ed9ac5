import { scaled } from './time-factor.ts'

/** Reads until the value is good or time is up, and gives the last one: for what a test can only wait for. */
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
