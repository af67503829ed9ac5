import { describe, expect, it } from 'vitest'
import { UsageError } from '../../support/run-options.ts'
import { DOCS, HELP, parseOptions } from '../options.ts'

const CASES = ['one', 'two']
const options = (...argv: string[]) => {
  const asked = parseOptions(argv, CASES)
  if (asked.kind !== 'run') throw new Error(`asked for ${asked.kind}`)
  return asked.options
}

describe('parseOptions', () => {
  it('asks by default for a full run of all cases with a random seed, which writes the page', () => {
    const { seed, ...rest } = options()
    expect(rest).toEqual({ quick: false, only: undefined, json: undefined, docs: DOCS })
    expect(Number.isInteger(seed)).toBe(true)
  })

  it('writes the page only for a complete run, or with --docs', () => {
    expect(options('--quick').docs).toBeUndefined()
    expect(options('--only', 'one').docs).toBeUndefined()
    expect(options('--quick', '--docs', 'there').docs).toBe('there')
  })

  it('takes several cases with --only', () => {
    expect(options('--only', 'one', 'two').only).toEqual(['one', 'two'])
    expect(options('--only', 'one', '--only', 'two', '--seed', '7')).toMatchObject({
      only: ['one', 'two'],
      seed: 7,
    })
  })

  it('recognizes --list and --help', () => {
    expect(parseOptions(['--list'], CASES)).toEqual({ kind: 'list' })
    expect(parseOptions(['--help', '--quick'], CASES)).toEqual({ kind: 'help' })
  })

  it.each([
    [['--only', 'three'], /--only: must be one of one, two, got "three"/],
    [['one'], /one: is not an option/],
    [['--seed', '-1'], /--seed/],
    [['--seed', 'x'], /--seed: must be a whole number of up to 9 digits, got "x"/],
    [['--fast'], /--fast/],
  ])('refuses %j', (argv, message) => {
    expect(() => parseOptions(argv, CASES)).toThrow(UsageError)
    expect(() => parseOptions(argv, CASES)).toThrow(message)
  })

  it('has help for every option', () => {
    for (const name of ['quick', 'only', 'list', 'seed', 'json', 'docs', 'help'])
      expect(HELP).toContain(`--${name}`)
  })
})
