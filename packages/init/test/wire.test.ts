import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as wire from '../src/wire.ts'

const header = readFileSync(new URL('../native/frames/wire.h', import.meta.url), 'utf8')

/** The value of one name in the C header: `NAME = 0x01,` or `#define NAME (6u * 1024)`. */
function inHeader(name: string): number | undefined {
  const value = new RegExp(`\\b${name}(?: =)? \\(?([0-9a-fx u*]+?)\\)?[,\\n]`).exec(header)?.[1]
  return value?.split('*').reduce((product, factor) => product * Number(factor.replace('u', '')), 1)
}

describe('the wire', () => {
  it('has the same frame types in C and TypeScript', () => {
    for (const [name, code] of Object.entries(wire.WIRE)) {
      const constant = `FRAME_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
      expect(inHeader(constant), constant).toBe(code)
    }
    expect(header.match(/FRAME_\w+ =/g)).toHaveLength(Object.keys(wire.WIRE).length)
  })

  it('has the same bounds in C and TypeScript', () => {
    for (const [name, value] of Object.entries(wire)) {
      if (typeof value !== 'number' || name === 'MAX_PUT_BYTES') continue
      expect(inHeader(name), name).toBe(value)
    }
  })
})
