import { expect, test } from 'vitest'
import { fileKindOf } from '../src/site/run/file-kind.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  ['RIFF\x01\x02\x03\nWEBPVP8 ', 'image/webp'],
])('a file that begins with %j is an image', (head, type) => {
  expect(fileKindOf(bytes(`${head}…`))).toEqual({ kind: 'image', type })
})

test.each(['<svg xmlns="http://www.w3.org/2000/svg">', ' \x89PNG', 'RIFF', ''])(
  'a file that begins with %j is not an image',
  (head) => {
    expect(fileKindOf(bytes(head)).kind).not.toBe('image')
  },
)

test('short UTF-8 is shown as text; long, binary and other content is not', () => {
  expect(fileKindOf(Buffer.from('grüße\n'))).toEqual({ kind: 'text', text: 'grüße\n' })
  for (const other of ['a\0b', '\xff', 'x'.repeat(40_000)])
    expect(fileKindOf(bytes(other))).toEqual({ kind: 'other' })
})
