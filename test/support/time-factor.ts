/**
 * Multiplies the timeouts of specs on slow machines: `TEST_TIME_FACTOR`, which the virtual machines set. It never changes the
 * limits of a program.
 */
export const TIME_FACTOR = factorOf(process.env['TEST_TIME_FACTOR'])

/** A timeout of a spec on this machine, in milliseconds. */
export function scaled(milliseconds: number): number {
  return milliseconds * TIME_FACTOR
}

function factorOf(text: string | undefined): number {
  if (text === undefined || text === '') return 1
  const factor = Number(text)
  if (factor >= 1 && factor <= 100) return factor
  throw new Error(`TEST_TIME_FACTOR: must be a number from 1 to 100, got ${JSON.stringify(text)}`)
}
