import fc from 'fast-check'

/** Names with a meaning for prototypes or terminals, and unusual ones. */
export const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'hasOwnProperty',
  '',
  ' ',
  '..',
  '\u001b[2J',
  '\u009b31m',
  '\u202e',
  '\u007f',
  '\ud800',
  'x'.repeat(100_000),
] as const

function thrower(value: unknown): () => never {
  return () => {
    throw value
  }
}

function throwingProxy(
  trap: 'get' | 'ownKeys' | 'has' | 'getPrototypeOf' | 'getOwnPropertyDescriptor',
  value: unknown,
) {
  return new Proxy({ code: 'x' }, { [trap]: thrower(value) })
}

/** An object that throws when its fields are read more than `reads` times. */
function fickle(reads: number): object {
  let left = reads
  return new Proxy(
    { code: 'x', limits: 0 },
    {
      get(target, key) {
        if (left-- <= 0) throw new Error('no more')
        return Reflect.get(target, key)
      },
    },
  )
}

function cycle(): unknown[] {
  const list: unknown[] = []
  list.push(list, { list })
  return list
}

/** Small in memory, but 2^90 values when serialized. */
function doubled(): unknown {
  return Array.from({ length: 90 }).reduce<unknown>((inner) => [inner, inner], 1)
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const THROWN = [
  new Error('\u001b[31mred\u009b\nsecond line'),
  new Error('x'.repeat(100_000)),
  'text',
  undefined,
  Object.create(null),
  { toString: thrower(1) },
]

/** Make values that JSON cannot express, new ones for each case, because some have state. */
const MAKERS: readonly (() => unknown)[] = [
  () => new Date(0),
  () => new Date(Number.NaN),
  () => new Map([['code', 'x']]),
  () =>
    new (class Job {
      code = 'x'
    })(),
  () => Object.assign(Object.create(null), { code: 'x' }),
  () => Object.create({ code: 'x', tenant: 'inherited' }),
  () => Object.assign([1], { toJSON: () => 'other' }),
  () => ({ toJSON: () => ({ code: 'x' }) }),
  () => ({ [Symbol('s')]: 1 }),
  () => Array(3),
  () => Array(4_000_000_000),
  () => Array(2_000).fill(0),
  () => Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index])),
  () => new Uint8Array(8),
  () => new String('x'),
  () => new Number(5),
  () => 10n ** 20_000n,
  () => Symbol('\u001b'),
  () => thrower(1),
  () => /x/,
  () => '\ud800',
  () => '\udfff\ud800',
  () => 'é'.repeat(600_000),
  cycle,
  doubled,
  revoked,
  () => fickle(0),
  () => fickle(1),
  () => fickle(2),
  () => fickle(30),
  () => JSON.parse('{"__proto__":{"code":"x"}}'),
  () => Object.defineProperty({}, '__proto__', { value: 1n, enumerable: true }),
  () => Object.defineProperty({}, 'code', { get: thrower(new Error('got')), enumerable: true }),
  ...THROWN.flatMap((value) =>
    (['get', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'has'] as const).map(
      (trap) => () => throwingProxy(trap, value),
    ),
  ),
]

/** Numbers that often reveal errors in range checks. */
export const HOSTILE_NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  0.05,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
] as const

/**
 * Makes one hostile value. A function instead of the value, because fast-check prints values, and printing some of these
 * throws.
 */
export const hostile: fc.Arbitrary<() => unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...MAKERS) },
  fc.constantFrom<unknown>(...HOSTILE_NUMBERS, ...HOSTILE_NUMBERS.map(String)).map(maker),
  fc.constantFrom<unknown>(null, undefined, true, false, '', ...HOSTILE_NAMES).map(maker),
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
    })
    .map(maker),
)

function maker(value: unknown): () => unknown {
  return () => value
}
