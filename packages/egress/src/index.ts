export { type AddressRanges, addressRangesOf, coversMapped, listed, specialKind } from './address.ts'
export { DialError, type DialRules, type DialTarget, dial } from './dial.ts'
