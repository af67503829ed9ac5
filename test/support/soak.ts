/** True in `npm run test:soak`, where specs use larger numbers that take minutes. */
export const SOAK = process.env['TEST_SOAK'] === 'true'

/** All items in the soak, else every nth of them, beginning with that of a number; at least one, if there are any. */
export function sampled<T>(items: readonly T[], every: number, turn = 0): readonly T[] {
  const step = Math.min(every, items.length)
  return SOAK ? items : items.filter((_, index) => index % step === turn % step)
}
