import { createCatalogue } from '@isopod/languages'
import { expect, it } from 'vitest'
import { preloadedLanguages } from '../../src/jobs/preloaded-languages.ts'

const preload = { files: {}, modules: [], forks: false, unless_files: [] }
const language = (name: string, more: object = {}) => ({
  name,
  image: 'i',
  version: '1',
  aliases: [`${name}-alias`],
  filename: 'main',
  command: ['x', '{filename}'],
  timeout_factor: 1,
  env: {},
  opens_at_start: [],
  default_limits: {},
  seccomp_profile: 'default' as const,
  allow_network: false,
  ...more,
})
const catalogue = createCatalogue([language('a', { preload }), language('b'), language('c', { preload })])

it.each([
  ['', []],
  ['all', ['a', 'c']],
  ['c-alias', ['c']],
  [' a, c ', ['a', 'c']],
])('ISOPOD_PRELOAD=%j names languages', (setting, names) => {
  expect([...preloadedLanguages(setting, catalogue)]).toEqual(names)
})

it.each(['b', 'perl', 'a,all'])('ISOPOD_PRELOAD=%s is refused with the supported values', (setting) => {
  expect(() => preloadedLanguages(setting, catalogue)).toThrow(
    'ISOPOD_PRELOAD: must be all, or any of a@1, c@1, got',
  )
})
