import type { z } from 'zod'

/** A JSON value, or why it is none that may pass. */
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
 * Copies a value that is JSON through and through, reading each part once: what a getter or proxy says later, what
 * `toJSON` would make of it and what JSON cannot say is not in the copy.
 *
 * @param most bytes of JSON text after which it is not looked at any further; parts that are shared count each time
 * @param depth lists and objects within each other; a cycle is only a value that is nested too deep
 * @throws what the value's own code throws while it is read
 */
export function copyJson(value: unknown, most: number, depth: number): JsonCopy {
  let left = most
  const take = (bytes: number) => {
    left -= bytes
    if (left < 0) throw new Refused('too_large')
  }
  const copy = (part: unknown, deeper: number): z.core.util.JSONType => {
    // Each part has at least one byte of text, and each unit of a text at least one.
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
    // Before the loop: a list without elements can be four billion long.
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
