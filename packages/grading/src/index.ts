export { type Checker, check } from './check.ts'
export type { Difference } from './difference.ts'
export type { Tolerance } from './numbers.ts'
export { type Estimate, meanPassAtK, type ProblemTally, passAtK } from './pass-at-k.ts'
