import { expect, it } from 'vitest'
import { findLanguage, unsupportedLanguage } from '../src/language.ts'

const languages = [
  { name: 'python', version: '3.13', aliases: ['py', 'python3'] },
  { name: 'python-old', version: '3.1', aliases: [] },
]

it.each([
  ['python', '3.13'],
  ['PY', '3.13'],
  ['python@3', '3.13'],
  ['python3@3.13', '3.13'],
  ['python@3.1', undefined],
  ['python@', undefined],
  ['perl', undefined],
])('%s is version %s', (asked, version) => {
  expect(findLanguage(languages, asked)?.version).toBe(version)
})

it('the error for an unsupported language lists the supported ones', () => {
  expect(unsupportedLanguage(languages, 'perl')).toBe(
    'language: "perl" is not supported; the supported languages are python@3.13, python-old@3.1',
  )
})
