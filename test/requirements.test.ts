import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { REQUIREMENTS } from './requirements.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const cited = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).flatMap((path) =>
  [...readFileSync(`${root}/${path}`, 'utf8').matchAll(/^\s*\/\/ promise: (.+)$/gm)].flatMap(([, ids = '']) =>
    ids.split(/,\s*/),
  ),
)

it('every promise is cited by a test', () => {
  expect(REQUIREMENTS.map(({ id }) => id).filter((id) => !cited.includes(id))).toEqual([])
})

it('every citation names a promise', () => {
  const known = new Set(REQUIREMENTS.map(({ id }) => id))
  expect(cited.filter((id) => !known.has(id))).toEqual([])
})
