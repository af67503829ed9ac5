import type { writeSync } from 'node:fs'
import { expect, it } from 'vitest'
import { standardStream } from '../src/standard-stream.ts'

/** A stream on a disk that can be full, and what was written to it. */
function streamOn(disk: { space: number }) {
  const written: string[] = []
  const write = (_: number, bytes: Buffer) => {
    if (disk.space === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    const part = bytes.subarray(0, disk.space)
    disk.space -= part.length
    written.push(part.toString())
    return part.length
  }
  return { written, stream: standardStream(1, write as typeof writeSync) }
}

it('lines that meet a full disk are written once there is space, whole and in order', () => {
  const disk = { space: 3 }
  const { written, stream } = streamOn(disk)
  stream.write('first\n')
  stream.write('second\n')
  expect(written.join('')).toBe('fir')
  disk.space = 100
  stream.write('third\n')
  expect(written.join('')).toBe('first\nsecond\nthird\n')
})

it('what is kept for a full disk is bounded, and lines that come later are written again', () => {
  const disk = { space: 0 }
  const { written, stream } = streamOn(disk)
  for (let megabytes = 0; megabytes < 3; megabytes++) stream.write(`${'x'.repeat(1024 * 1024 - 1)}\n`)
  disk.space = Number.MAX_SAFE_INTEGER
  stream.write('lost\n')
  expect(written.join('')).toHaveLength(1024 * 1024)
  stream.write('later\n')
  expect(written.at(-1)).toBe('later\n')
})
