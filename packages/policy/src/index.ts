export type { Policy } from './policy.ts'
