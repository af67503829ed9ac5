import { expect, it } from 'vitest'
import { attachmentHeaders } from '../src/http/attachment.ts'

it.each([
  ['plot-1.png', 'attachment; filename="plot-1.png"'],
  ['a b.txt', 'attachment; filename="a_b.txt"; filename*=UTF-8\'\'a%20b.txt'],
  ['zürich.txt', 'attachment; filename="z_rich.txt"; filename*=UTF-8\'\'z%C3%BCrich.txt'],
  ['x"; filename="y', 'attachment; filename="x___filename__y"; filename*=UTF-8\'\'x%22%3B%20filename%3D%22y'],
  ["a'(*)\r\nX: y", 'attachment; filename="a______X__y"; filename*=UTF-8\'\'a%27%28%2A%29%0D%0AX%3A%20y'],
  ['\ud800', 'attachment; filename="_"; filename*=UTF-8\'\'%EF%BF%BD'],
])('a file called %j is saved under a name that no header can be broken with', (name, disposition) => {
  expect(attachmentHeaders(name)['content-disposition']).toBe(disposition)
})
