import { mkdir, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contentHash } from '../src/images/content-hash.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

it('contentHash depends on names and bytes, not on folder and time of files', async () => {
  const one = await folderWith({ Dockerfile: 'FROM x', 'lib/a': '1' })
  const other = await folderWith({ 'lib/a': '1', Dockerfile: 'FROM x' })
  await utimes(join(other, 'Dockerfile'), 1, 1)
  expect(await contentHash([one])).toBe(await contentHash([other]))
  expect(await contentHash([one])).toMatch(/^[0-9a-f]{16}$/)
})

it('contentHash changes with a byte, a file name, the split into files and the given words', async () => {
  const folder = await folderWith({ a: '1', b: '22' })
  const seen = new Set([await contentHash([folder]), await contentHash([folder], ['node 24'])])
  await writeFile(join(folder, 'a'), '2')
  seen.add(await contentHash([folder]))
  await rename(join(folder, 'a'), join(folder, 'c'))
  seen.add(await contentHash([folder]))
  seen.add(await contentHash([await folderWith({ a: '12', b: '2' })]))
  expect(seen.size).toBe(5)
})

it('contentHash accepts a file or a folder, and treats a missing path as empty', async () => {
  const folder = await folderWith({ Dockerfile: 'FROM x' })
  expect(await contentHash([join(folder, 'Dockerfile')])).not.toBe(await contentHash([]))
  expect(await contentHash([join(folder, 'missing')])).toBe(await contentHash([]))
})
