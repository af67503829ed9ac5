import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fileBytes, filesSchema, isSafePath, MAX_FILES, MAX_FILES_BYTES } from '../src/files.ts'
import { parseJob } from '../src/parse.ts'

it.each(['a', 'a.txt', 'dir/sub/b.py', '.env', 'naïve ü.txt', 'a..b', 'x+y@2=z,.csv'])(
  '%s may name a file',
  (path) => {
    expect(isSafePath(path)).toBe(true)
  },
)

it.each([
  '',
  '.',
  '..',
  '../x',
  'a/../b',
  'a/./b',
  '/etc/x',
  'a//b',
  'a/',
  '-rf',
  'a/-b',
  '$(id)',
  'a\0b',
  'a\nb',
  'a\\b',
  '~x',
  '.isopod/x',
  'x'.repeat(256),
])('%j may not name a file', (path) => {
  expect(isSafePath(path)).toBe(false)
})

it('a safe path never leaves the folder it is joined to', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (path) => {
      if (isSafePath(path))
        expect(
          new URL(
            encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23'),
            'file:///w/',
          ).pathname.startsWith('/w/'),
        ).toBe(true)
    }),
  )
})

it('the size of a base64 file is that of the decoded bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      expect(fileBytes({ content: Buffer.from(bytes).toString('base64'), encoding: 'base64' })).toBe(
        bytes.byteLength,
      )
    }),
  )
})

it('a base64 file may have the whole 5 MiB', () => {
  const content = Buffer.alloc(MAX_FILES_BYTES, 7).toString('base64')
  expect(filesSchema.safeParse({ big: { content, encoding: 'base64' } }).success).toBe(true)
  for (const wrong of ['a', 'ab=', 'a===', 'ab=c', 'ab c', 'abc']) {
    expect(filesSchema.safeParse({ x: { content: wrong, encoding: 'base64' } }).success, wrong).toBe(false)
  }
})

it('a job may have 64 files and not 65', () => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { content: '' }]))
  expect(filesSchema.safeParse(files(MAX_FILES)).success).toBe(true)
  expect(filesSchema.safeParse(files(MAX_FILES + 1)).success).toBe(false)
})

it('a file may be given as its text, and is parsed to the same shape', () => {
  expect(filesSchema.parse({ 'a.txt': 'text', 'b.txt': '' })).toEqual({
    'a.txt': { content: 'text', encoding: 'utf8' },
    'b.txt': { content: '', encoding: 'utf8' },
  })
})

it.each([
  [5, 'files.a.txt: must be the text of the file, or an object of content and encoding, got 5'],
  [['x'], 'files.a.txt: must be the text of the file, or an object of content and encoding, got a list of 1'],
  [{ text: 'x' }, 'files.a.txt.content: must be text, got nothing'],
  [{ content: 'x', encoding: 'latin1' }, 'files.a.txt.encoding: must be one of utf8, base64, got "latin1"'],
])('of a file that is %j the refusal says what is wrong', (file, sentence) => {
  expect(() => parseJob({ code: 'x', files: { 'a.txt': file } })).toThrow(sentence)
})
