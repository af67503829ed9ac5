import type { z } from 'zod'

/** A copied JSON value, or why the value is refused. */
export type JsonCopy =
  | { readonly value: z.core.util.JSONType; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: 'not_json' | 'too_large' }

class Refused extends Error {
  readonly problem: 'not_json' | 'too_large'
  constructor(problem: 'not_json' | 'too_large') {
    super(problem)
    this.problem = problem
  }
}

/**
 * Copies a JSON value. It reads each part once, so that getters and proxies cannot change it later, never calls `toJSON`, and
 * refuses values that JSON cannot represent.
 *
 * @param maxBytes maximum size as JSON text; a shared part counts each time
 * @param depth maximum nesting of lists and objects; a cycle exceeds it
 * @throws what the value's own code throws while it is read
 */
export function copyJson(value: unknown, maxBytes: number, depth: number): JsonCopy {
  let left = maxBytes
  const take = (bytes: number) => {
    left -= bytes
    if (left < 0) throw new Refused('too_large')
  }
  const copy = (part: unknown, deeper: number): z.core.util.JSONType => {
    // Each part takes at least one byte of JSON text, and so does each UTF-16 unit of a string.
    take(1)
    if (part === null || typeof part === 'boolean') return part
    if (typeof part === 'string') {
      take(part.length)
      return part
    }
    // JSON has no negative zero.
    if (typeof part === 'number' && Number.isFinite(part)) return part + 0
    if (typeof part !== 'object' || deeper === 0) throw new Refused('not_json')
    if (Array.isArray(part)) return copyList(part, deeper)
    const prototype: unknown = Object.getPrototypeOf(part)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new Refused('not_json')
    return Object.fromEntries(
      Object.keys(part).map((key) => {
        take(key.length)
        return [key, copy(Reflect.get(part, key), deeper - 1)]
      }),
    )
  }
  const copyList = (list: readonly unknown[], deeper: number) => {
    // A sparse list can have a length of four billion.
    if (list.length > left) throw new Refused('too_large')
    return Array.from(list, (part) => copy(part, deeper - 1))
  }
  try {
    return { value: copy(value, depth) }
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem }
    throw error
  }
}
