/**
 * How much longer than on a quiet machine things may take: `TEST_TIME_FACTOR`, which the virtual machines set. It lengthens
 * what specs wait for, and never what a program is given.
 */
export const TIME_FACTOR = factorOf(process.env['TEST_TIME_FACTOR'])

/** Milliseconds that a spec waits for, on this machine. */
export function scaled(milliseconds: number): number {
  return milliseconds * TIME_FACTOR
}

function factorOf(text: string | undefined): number {
  if (text === undefined || text === '') return 1
  const factor = Number(text)
  if (factor >= 1 && factor <= 100) return factor
  throw new Error(`TEST_TIME_FACTOR: must be a number from 1 to 100, got ${JSON.stringify(text)}`)
}
