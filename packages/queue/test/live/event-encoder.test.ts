import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EventEncoder } from '../../src/live/event-encoder.ts'

const NOT_CUT = { cut: { stdout: false, stderr: false } }

/** Bytes of whole and broken characters. */
const bytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array(),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => Buffer.concat(parts))

it('encodes the same bytes and text, however the output was split', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 8 }), (chunks) => {
      const encoder = new EventEncoder(1)
      const entries = chunks.flatMap((chunk) => {
        return encoder.encode([{ type: 'stdout', chunks: [chunk] }]).entries
      })
      entries.push(...encoder.encode([], NOT_CUT).entries)
      const events = entries.map(([, json]) => JSON.parse(json) as { text: string; raw?: string })
      const whole = Buffer.concat(chunks)
      expect(events.map(({ text }) => text).join('')).toBe(whole.toString())
      const reported = events.map(({ text, raw }) =>
        raw === undefined ? Buffer.from(text) : Buffer.from(raw, 'base64'),
      )
      expect(Buffer.concat(reported)).toEqual(whole)
    }),
  )
})

it('leaves out a character that the output limit has cut', () => {
  const encoder = new EventEncoder(1)
  const { entries } = encoder.encode([{ type: 'stdout', chunks: [Buffer.from([0x61, 0xe2, 0x82])] }])
  expect(entries).toEqual([['1-1', '{"type":"stdout","text":"a"}']])
  expect(encoder.encode([], { cut: { stdout: true, stderr: false } }).entries).toEqual([])
})

it('cuts long output into entries of at most 8 KiB', () => {
  const encoder = new EventEncoder(3)
  const { entries } = encoder.encode([{ type: 'stderr', chunks: [Buffer.from('€'.repeat(10_000))] }])
  expect(entries.map(([id]) => id)).toEqual(['3-1', '3-2', '3-3', '3-4'])
  for (const [, json] of entries) expect(Buffer.byteLength(json)).toBeLessThan(8300)
})

it('resets the limits at the start of a run', () => {
  const encoder = new EventEncoder(1)
  const flood = { type: 'stdout' as const, chunks: [Buffer.alloc(9 * 1024 * 1024, 'x')] }
  expect(encoder.encode([flood]).dropped.bytes).toBeGreaterThan(1024 * 1024)
  expect(encoder.isFull).toBe(true)
  const next = encoder.encode([{ type: 'status', status: 'running', attempt: 1 }])
  expect([encoder.isFull, next.minimumId]).toEqual([false, next.entries[0]?.[0]])
})
