import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ImageMissingError } from '../../src/driver/faults.ts'
import { Roots, referenceFile } from '../../src/process/roots.ts'

const digest = (letter: string) => `sha256:${letter.repeat(64)}`
let directory: string
let roots: Roots
const refer = (reference: string, text: string) => writeFileSync(referenceFile(directory, reference), text)
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'isopod-roots-'))
  mkdirSync(join(directory, 'references'))
  roots = new Roots(directory)
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(directory, { recursive: true })
})

describe('roots of languages', () => {
  it('are found by reference, by the digest of what they hold', async () => {
    refer('isopod/python:3.12', `${digest('a')}\n`)
    const path = join(directory, `sha256-${'a'.repeat(64)}`, 'files')
    expect(await roots.find('isopod/python:3.12')).toEqual({ digest: digest('a'), path })
    expect(await roots.digest('isopod/python:3.12')).toBe(digest('a'))
  })

  it.each([
    '',
    'sha256:',
    'sha256:../../etc',
    digest('g'),
    `${digest('a')}b`,
    `${digest('a')}\n${digest('b')}`,
  ])('are missing if the reference is damaged: %j', async (text) => {
    refer('x', text)
    await expect(roots.find('x')).rejects.toThrow(ImageMissingError)
  })

  it.each(['nowhere', '..', '../x', 'a/../../x', `${'x'.repeat(300)}`])(
    'are missing if there is no such reference, wherever it points: %s',
    async (reference) => {
      writeFileSync(join(directory, 'x'), digest('a'))
      await expect(roots.find(reference)).rejects.toThrow(ImageMissingError)
    },
  )

  it('are looked up again after a minute, or after a sandbox could not start', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    refer('x', digest('a'))
    await roots.find('x')
    refer('x', digest('b'))
    vi.advanceTimersByTime(59_000)
    expect(await roots.digest('x')).toBe(digest('a'))
    vi.advanceTimersByTime(2_000)
    expect(await roots.digest('x')).toBe(digest('b'))
    refer('x', digest('c'))
    expect(await roots.digest('x')).toBe(digest('b'))
    roots.forget('x')
    expect(await roots.digest('x')).toBe(digest('c'))
  })

  it('are not remembered as missing', async () => {
    await expect(roots.find('x')).rejects.toThrow(ImageMissingError)
    refer('x', digest('a'))
    expect(await roots.digest('x')).toBe(digest('a'))
  })
})
