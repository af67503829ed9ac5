import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SafeError, withSafeErrors } from '../src/safe-error.ts'

const SECRET = 'Alice-s3cret'

function thrownBy(act: () => unknown): Error {
  try {
    act()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

function named(name: string, message: string, fields: object = {}): Error {
  return Object.assign(new Error(message), { name }, fields)
}

describe('a safe error', () => {
  it.each([
    ['a parser', thrownBy(() => JSON.parse(`{"code": ${SECRET}`)), { type: 'SyntaxError' }],
    [
      'a Redis client',
      named('ReplyError', `WRONGTYPE ${SECRET}`, { command: { name: 'isopodPublish', args: [SECRET] } }),
      { type: 'ReplyError', code: 'WRONGTYPE', command: 'isopodPublish' },
    ],
    ['a refusal of Redis that quotes', named('ReplyError', SECRET), { type: 'ReplyError' }],
    [
      'the system',
      named('Error', `ENOENT: ${SECRET}`, { code: 'ENOENT', errno: -2, syscall: 'open', path: SECRET }),
      { type: 'Error', code: 'ENOENT', errno: -2, syscall: 'open' },
    ],
    [
      'an engine',
      named('Error', SECRET, { statusCode: 409, reason: SECRET, json: { message: SECRET } }),
      { statusCode: 409 },
    ],
    ['a strange class', named(`x ${SECRET}`, '', { code: `${SECRET}!` }), { type: 'Error' }],
    ['several errors', new AggregateError([new Error(SECRET)], SECRET), { errors: [{ type: 'Error' }] }],
    [
      'a chain of errors',
      new Error(SECRET, { cause: new TypeError(SECRET, { cause: SECRET }) }),
      { cause: { type: 'TypeError' } },
    ],
    [
      'a message of lines that look like frames',
      new Error(`x\n    at f (/${SECRET}:1:2)\n    at /${SECRET}:1:2`),
      { type: 'Error' },
    ],
    [
      'a message that was changed after creation',
      Object.assign(new Error(`x\n    at f (/${SECRET}:1:2)`), { message: 'harmless' }),
      { type: 'Error' },
    ],
    [
      'a getter',
      Object.defineProperty(new Error(SECRET), 'stack', {
        get: () => {
          throw new Error(SECRET)
        },
      }),
      { type: 'Error' },
    ],
    ['a text', SECRET, { type: 'string' }],
    ['an object', { message: SECRET }, { type: 'object' }],
  ])('of %s has no word of what it quotes', (_, thrown, known) => {
    const safe = new SafeError(thrown)
    expect(safe).toMatchObject(known)
    expect(JSON.stringify(safe)).not.toContain(SECRET)
    expect(safe).not.toHaveProperty('message')
  })

  it('has only known properties, whatever an error contains', () => {
    const fields = fc.dictionary(
      fc.string(),
      fc.oneof(fc.constant(SECRET), fc.constant([SECRET]), fc.constant({ a: SECRET })),
    )
    fc.assert(
      fc.property(fields, fc.string(), (extra, message) => {
        const { name: _, ...rest } = extra
        const thrown = Object.assign(new Error(message + SECRET), rest, {
          code: 7,
          command: { args: [SECRET] },
        })
        const safe = new SafeError(thrown)
        expect(['type', 'stack', 'errno', 'syscall', 'cause']).toEqual(
          expect.arrayContaining(Object.keys(safe)),
        )
        expect(JSON.stringify(safe)).not.toContain(SECRET)
      }),
    )
  })

  it('contains the place where it was thrown', () => {
    const { stack = [] } = new SafeError(new Error('two\nlines'))
    expect(stack[0]).toMatch(/safe-error\.test\.ts:\d+:\d+\)?$/)
  })

  it('is finite, even if causes form a cycle', () => {
    const error = new Error('x')
    error.cause = error
    let depth = 0
    for (let at: SafeError | undefined = new SafeError(error); at !== undefined; at = at.cause) depth++
    expect(depth).toBe(5)
  })
})

it('errors are made safe at any depth of a log entry', () => {
  const error = Object.assign(new Error(SECRET), { args: [SECRET] })
  class Holder {
    readonly inner = error
  }
  const loop: Record<string, unknown> = { error }
  loop['self'] = loop
  for (const entry of [error, { error }, [error], { a: [{ b: error }] }, new Holder(), loop]) {
    const safe = withSafeErrors(entry)
    expect(JSON.stringify(safe)).not.toContain(SECRET)
    expect(JSON.stringify(safe)).toContain('"type":"Error"')
  }
  const date = new Date(0)
  expect(withSafeErrors({ date, text: 'x', none: null })).toEqual({ date, text: 'x', none: null })
})
