import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { fillMarkers } from '../scripts/reference.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

it('the generated tables of settings and metrics, and the variables in Compose, are up to date (npm run schemas)', async () => {
  const check = promisify(execFile)(process.execPath, ['scripts/schemas.mjs', '--check'], { cwd: ROOT })
  await expect(check).resolves.toEqual({ stdout: '', stderr: '' })
})

it('fillMarkers adds a missing setting to a page, and refuses a page without markers', async () => {
  const path = 'docs/settings.md'
  const text = await readFile(`${ROOT}${path}`, 'utf8')
  const lines = ['', '| `ISOPOD_ADDED` | none | added |', '']
  expect(fillMarkers(text, { worker: lines }, path)).toContain('| `ISOPOD_ADDED` | none | added |')
  expect(() => fillMarkers(text, { elsewhere: lines }, path)).toThrow('docs/settings.md: has no markers')
})
