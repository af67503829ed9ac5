import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { VERSION } from '../src/index.ts'

const root = join(import.meta.dirname, '../../..')
const manifests = globSync('{package.json,{packages,apps}/*/package.json}', { cwd: root })

it('the spec finds the package manifests', () => {
  expect(manifests.length).toBeGreaterThan(10)
})

it.each(manifests)('%s has the version of this release', (path) => {
  expect(JSON.parse(readFileSync(join(root, path), 'utf8'))).toMatchObject({ version: VERSION })
})
