import { expect, it } from 'vitest'
import { argvOf, environment } from '../../src/program/environment.ts'
import { limits, SHELL } from '../support/execution.ts'

const main = { filename: 'main.sh' }

it('arguments of a job follow the command unchanged, or replace its placeholder', () => {
  expect(argvOf(['sh', '{filename}'], main)).toEqual(['sh', 'main.sh'])
  expect(argvOf(['sh', '{filename}'], main, ['{filename}', '{args}', '$(id)', ''])).toEqual([
    ...['sh', 'main.sh', '{filename}', '{args}', '$(id)', ''],
  ])
  const compile = ['cc', '{args}', '{filename}', '-lm']
  expect(argvOf(compile, main, ['-O0', '-g'])).toEqual(['cc', '-O0', '-g', 'main.sh', '-lm'])
  expect(argvOf(compile, main)).toEqual(['cc', 'main.sh', '-lm'])
})

it('a variable of the job overrides a default, but none that the language or the network sets', () => {
  const language = { ...SHELL, env: { LANGUAGE_OWN: 'kept' } }
  const env = { LANG: 'de_DE', MINE: '1', LANGUAGE_OWN: 'changed', http_proxy: 'http://elsewhere' }
  const given = { language, limits: limits(), inputData: undefined, env }
  expect(environment(given, { proxy: true })).toMatchObject({
    LANG: 'de_DE',
    MINE: '1',
    LANGUAGE_OWN: 'kept',
    http_proxy: 'http://127.0.0.1:3128',
  })
})
