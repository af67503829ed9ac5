import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeAtomically } from '../src/grade/write-file.ts'

it('writeAtomically replaces all of a file or leaves it unchanged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isopod-write-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'out.jsonl')
  writeFileSync(path, 'before\n')
  const seen: string[] = []
  function* texts(end: boolean) {
    for (let row = 0; row < 20_000; row++) yield `row ${row}\n`
    seen.push(readFileSync(path, 'utf8'))
    if (!end) throw new Error('stopped')
  }
  await expect(writeAtomically(path, texts(false))).rejects.toThrow('stopped')
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['before\n', ['out.jsonl']])
  await writeAtomically(path, texts(true))
  expect(seen).toEqual(['before\n', 'before\n'])
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(20_001)
  expect(readdirSync(folder)).toEqual(['out.jsonl'])
})
