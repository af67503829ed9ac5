import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Paths, stackPaths } from '../src/paths.ts'
import { readRecord, updateRecord } from '../src/stack-record.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

async function paths(): Promise<Paths> {
  const found = stackPaths({ ISOPOD_STATE_DIR: join(await temporaryFolder(), 'state') })
  await mkdir(found.state)
  return found
}

it('the stack record is empty if nothing was started or the file is damaged', async () => {
  const here = await paths()
  const empty = { workers: [], visited: [] }
  expect(await readRecord(here)).toEqual(empty)
  for (const text of ['', '{"workers": [', 'null', '7']) {
    await writeFile(here.record, text)
    expect(await readRecord(here)).toEqual(empty)
  }
})

it('the stack record keeps other fields on an update, and leaves no temporary file', async () => {
  const here = await paths()
  const redis = { process: { pid: 7, startedAt: 'x' }, url: 'redis+unix:///r' }
  await updateRecord(here, (record) => ({ ...record, redis }))
  await updateRecord(here, (record) => ({ ...record, visited: ['unix:///d'] }))
  expect(await readRecord(here)).toEqual({ workers: [], visited: ['unix:///d'], redis })
  expect(await readdir(here.state)).toEqual(['stack.json'])
})
