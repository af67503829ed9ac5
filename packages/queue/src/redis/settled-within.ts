import pTimeout from 'p-timeout'

/** Waits for a promise, at most `ms`. @returns whether it settled, either way */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return await pTimeout(settled, { milliseconds: Math.max(ms, 1), fallback: () => false })
}
