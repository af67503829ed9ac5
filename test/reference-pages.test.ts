import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { fillMarkers } from '../scripts/reference.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

it('tables of settings and metrics and environments in Compose are those of the schemas: npm run schemas', async () => {
  const check = promisify(execFile)(process.execPath, ['scripts/schemas.mjs', '--check'], { cwd: ROOT })
  await expect(check).resolves.toEqual({ stdout: '', stderr: '' })
})

it('a setting that is missing in a page is noticed', async () => {
  const path = 'docs/settings.md'
  const text = await readFile(`${ROOT}${path}`, 'utf8')
  const lines = ['', '| `ISOPOD_ADDED` | none | added |', '']
  expect(fillMarkers(text, { worker: lines }, path)).toContain('| `ISOPOD_ADDED` | none | added |')
  expect(() => fillMarkers(text, { elsewhere: lines }, path)).toThrow('docs/settings.md: has no markers')
})
