import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { REQUIREMENTS } from './requirements.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const specs = globSync(['test/**/*.ts', '{packages,apps}/*/test/**/*.ts'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))

const cited = specs.flatMap(({ text }) =>
  [...text.matchAll(/^\s*\/\/ promise: (.+)$/gm)].flatMap(([, ids = '']) => ids.split(/,\s*/)),
)

it('every promise is cited by a test', () => {
  expect(REQUIREMENTS.map(({ id }) => id).filter((id) => !cited.includes(id))).toEqual([])
})

it('every citation names a promise', () => {
  const known = new Set(REQUIREMENTS.map(({ id }) => id))
  expect(cited.filter((id) => !known.has(id))).toEqual([])
})

it('tests are skipped only by `context.skip` with a reason, which the end of a run prints', () => {
  const unexplained =
    /\b(?:it|test|describe)[\w.]*\.(?:skip|skipIf|runIf|todo|only)\b|\.skip\((?!['"`])(?:[^,()]|\([^()]*\))*\)/
  const found = specs.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (unexplained.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})
