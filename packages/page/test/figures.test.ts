import { expect, test } from 'vitest'
import { ago, bytes, durationText } from '../src/site/parts/figures.ts'

test.each([
  [0.04, '0 ms'],
  [0.44, '0.4 ms'],
  [9.96, '10 ms'],
  [83.4, '83 ms'],
  [999.4, '999 ms'],
  [1250, '1.25 s'],
  [61_240, '61.2 s'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [14_541, '14.2 KiB'],
  [268_435_456, '256 MiB'],
])('%d bytes are %s', (count, text) => {
  expect(bytes(count)).toBe(text)
})

test.each([
  // The clock of the browser may be behind the gateway's.
  [-5000, 'now'],
  [2400, 'now'],
  [59_000, '59 s ago'],
  [61_000, '1 min ago'],
  [7_300_000, '2 h ago'],
  [200_000_000, '2 d ago'],
])('%d ms are %s', (ms, text) => {
  expect(ago(ms)).toBe(text)
})
