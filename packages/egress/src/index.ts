export { type AddressRanges, coversMapped, listed, listOf, specialKind } from './address.ts'
export { DialError, type DialRules, type DialTarget, dial } from './dial.ts'
