import fc from 'fast-check'
import { MAX_INPUT_BYTES } from '../../src/job.ts'
import { MAX_CODE_BYTES } from '../../src/program.ts'
import { LIMIT_RANGES } from '../limit-ranges.ts'
import { HOSTILE_NAMES, hostile } from './hostile.ts'

/** An integer at, next to, or anywhere between two bounds, and a little beyond. */
function near(min: number, max: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(min - 1, min, min + 1, max - 1, max, max + 1, min - 0.5, max + 0.5),
    fc.double({ min: min - 1, max: max + 1, noNaN: true }),
    fc.integer({ min: Math.floor(min), max: Math.ceil(max) }),
  )
}

/** Text whose size in UTF-8 is at, next to, or far from a bound, of letters of one to four bytes. */
function textNear(bytes: number): fc.Arbitrary<string> {
  const letter = fc.constantFrom('x', 'é', '€', '😀', '\ud800', '\n', '\0')
  const size = fc.oneof(
    fc.integer({ min: 0, max: 40 }),
    fc.constantFrom(bytes - 1, bytes, bytes + 1, Math.ceil(bytes / 2), Math.ceil(bytes / 4)),
  )
  return fc.tuple(letter, size).map(([one, count]) => one.repeat(count))
}

const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,9}$/)
const name = (most: number) =>
  fc.oneof({ weight: 4, arbitrary: word }, textNear(most), fc.constantFrom(...HOSTILE_NAMES))
const path = fc.oneof(
  { weight: 4, arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')) },
  textNear(255),
  fc.constantFrom(
    ...HOSTILE_NAMES,
    '/a',
    'a/../b',
    './a',
    'a//b',
    '.isopod/x',
    'a\\b',
    '-rf',
    'a\0b',
    'a\u0301',
  ),
)
const base64 = fc.oneof(
  fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.constantFrom('=', '====', 'A', 'AA==', 'AA=A', 'A===', 'AAAA', 'AA\n=', 'é'),
)
const file = fc.oneof(
  fc.record({ content: textNear(200) }),
  fc.record({ content: base64, encoding: fc.constant('base64') }),
  fc.record({
    content: fc.constantFrom(3 * 2 ** 19, 5 * 2 ** 20, 5 * 2 ** 20 + 1).map((size) => 'x'.repeat(size)),
  }),
)
const limits = fc.record(
  {
    ...Object.fromEntries(Object.entries(LIMIT_RANGES).map(([name, [min, max]]) => [name, near(min, max)])),
    onOverflow: fc.constantFrom('truncate', 'kill'),
  },
  { requiredKeys: [] },
)

/** JSON with a depth or size around the maximum of an input. */
const input = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue() },
  fc.integer({ min: 97, max: 103 }).map((depth) => {
    let value: unknown = -0
    for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { value }
    return value
  }),
  fc.constantFrom(-2, -1, 0).map((over) => 'x'.repeat(MAX_INPUT_BYTES + over - 1)),
)

/** The fields of a job: `ordinary` values are valid, `boundary` values may be just within or just beyond a limit. */
function fieldsOf(boundary: boolean) {
  const either = <T>(ordinary: fc.Arbitrary<T>, edge: fc.Arbitrary<T>) => (boundary ? edge : ordinary)
  return {
    language: either(fc.constantFrom('python', 'c', 'py@3.13'), name(32)),
    code: either(fc.constant('print(1)'), textNear(MAX_CODE_BYTES)),
    files: either(
      fc.constant({ 'a/b.txt': { content: 'x' }, 'c.txt': 'y' } as Record<string, unknown>),
      fc.oneof(
        fc.dictionary(path, fc.oneof(file, word), { maxKeys: 4 }),
        fc
          .integer({ min: 62, max: 67 })
          .map((count) =>
            Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { content: '' }])),
          ),
      ),
    ),
    stdin: either(fc.constant('in'), textNear(MAX_INPUT_BYTES)),
    inputData: either(fc.jsonValue(), input),
    limits: either(fc.constant({}), limits),
    policy: fc.record(
      { mode: fc.constantFrom('off', 'warn'), rules: fc.constantFrom('standard', 'strict') },
      { requiredKeys: [] },
    ),
    tenant: either(word, name(64)),
    batchId: either(word, name(128)),
    priority: either(fc.integer({ min: 0, max: 1000 }), near(0, 1000)),
    expiresInSeconds: either(fc.integer({ min: 1, max: 604_800 }), near(1, 604_800)),
    idempotencyKey: either(word, textNear(256)),
    labels: either(fc.constant({ a: 'b' }), fc.dictionary(name(64), textNear(256), { maxKeys: 18 })),
    replyTo: either(word, name(64)),
  }
}

/** Valid jobs with any combination of fields. */
export const validJob = fc.record(fieldsOf(false), { requiredKeys: ['code'] })

const FIELDS = Object.keys(fieldsOf(true))

/** Valid jobs in which up to three values are at, just below or just above a limit. */
export const boundaryJob = fc
  .tuple(validJob, fc.subarray(FIELDS, { minLength: 1, maxLength: 3 }), fc.record(fieldsOf(true)))
  .map(([job, chosen, edges]) => ({
    ...job,
    ...Object.fromEntries(Object.entries(edges).filter(([name]) => chosen.includes(name))),
  }))

const places = fc.constantFrom(
  ...['language', 'code', 'files', 'stdin', 'inputData', 'limits', 'network', 'policy', 'sessionId', 'tests'],
  ...[
    'preload',
    'reuse',
    'batchId',
    'tenant',
    'priority',
    'expiresInSeconds',
    'idempotencyKey',
    'labels',
    'callbackUrl',
    'replyTo',
  ],
  ...[
    'limits.memoryMb',
    'limits.timeoutSeconds',
    'limits.cpus',
    'limits.colour',
    'policy.mode',
    'files.a',
    'labels.a',
  ],
  ...['files.a.content', 'tests.0', 'inputData.a.b', ...HOSTILE_NAMES.map((key) => key.replaceAll('.', '_'))],
)

/** Makes a valid job with one hostile value at any place, also as an unknown field. */
export const mutatedJob = fc.tuple(validJob, places, hostile).map(([job, place, make]) => () => {
  const mutated: object = { ...job }
  let at = mutated
  const keys = place.split('.')
  for (const key of keys.slice(0, -1)) {
    const inner: object = { ...Object(Reflect.get(at, key)) }
    put(at, key, inner)
    at = inner
  }
  put(at, keys.at(-1) ?? '', make())
  return mutated
})

/** Defines a property. An assignment to `__proto__` would set the prototype instead. */
function put(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
