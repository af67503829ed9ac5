import { ConfigError, isSafePath } from '@isopod/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scaled } from '../../../test/support/time-factor.ts'
import { validateCatalogue } from '../src/validate.ts'

const VALID = { image: 'i', filename: 'main.x', command: ['x', '{filename}'] }
const FIELDS = [
  'image',
  'version',
  'aliases',
  'filename',
  'command',
  'compile',
  'env',
  'input_hook',
  'default_limits',
]
const MORE = [
  'compile_timeout_seconds',
  'timeout_factor',
  'default_memory_mb',
  'seccomp_profile',
  'allow_network',
]
const field = fc.constantFrom(...FIELDS, ...MORE, '__proto__', '\u009b', 'x')
const text = fc.constantFrom('', '..', '/a', '{filename}', '\u001b[2J', '\u202e', 'x'.repeat(5_000), 'a/b')
const value = fc.oneof(
  fc.jsonValue(),
  text,
  fc.array(text, { maxLength: 70 }),
  fc.dictionary(text, text, { maxKeys: 3 }),
  fc.dictionary(fc.constantFrom('files', 'env', 'memoryMb'), fc.dictionary(text, fc.jsonValue()), {
    maxKeys: 2,
  }),
)
const entry = fc.array(fc.tuple(field, value), { maxLength: 3 }).map((changes) =>
  // Through JSON, as from a file, where `__proto__` is an ordinary field.
  JSON.parse(
    `{${[...Object.entries(VALID), ...changes].map(([key, it]) => `${JSON.stringify(key)}:${JSON.stringify(it)}`).join()}}`,
  ),
)

it(
  'validateCatalogue accepts any entry or refuses it with a short printable sentence',
  () => {
    let taken = 0
    const property = fc.property(entry, (given) => {
      try {
        const [language] = validateCatalogue({ x: given }, 'file')
        expect(language?.command.length).toBeGreaterThan(0)
        expect(isSafePath(language?.filename ?? '')).toBe(true)
        expect(language?.allow_network).toBe(false)
        taken++
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        expect(error.message.length).toBeLessThan(20_000)
        expect(error.message).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
      }
    })
    fc.assert(property, { numRuns: 3_000 })
    expect(taken).toBeGreaterThan(100)
  },
  scaled(60_000),
)
