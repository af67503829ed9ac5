import { expect, it } from 'vitest'
import { UsageError } from '../../support/run-options.ts'
import { FAULTS } from '../faults/all.ts'
import { CHAOS_HELP, CHAOS_PAGE, parseChaosOptions } from '../options.ts'

const NAMES = ['one', 'two']

it('parseChaosOptions writes the page only for a full run of all faults, or with --docs', () => {
  const docsOf = (...argv: string[]) => {
    const asked = parseChaosOptions(argv, NAMES)
    return asked.kind === 'run' ? asked.options.docs : asked.kind
  }
  expect(docsOf()).toBe(CHAOS_PAGE)
  expect(docsOf('--quick')).toBeUndefined()
  expect(docsOf('--only', 'one', 'two')).toBeUndefined()
  expect(docsOf('--quick', '--docs', 'there.md')).toBe('there.md')
  expect([docsOf('--list'), docsOf('--help')]).toEqual(['list', 'help'])
})

it.each([
  [['--only', 'three'], /--only: must be one of one, two, got "three"/],
  [['one'], /one: is not an option/],
  [['--seed', 'x'], /--seed: must be/],
  [['--slow'], /--slow/],
])('parseChaosOptions refuses %j', (argv, message) => {
  const parse = () => parseChaosOptions(argv, NAMES)
  expect(parse).toThrow(UsageError)
  expect(parse).toThrow(message)
})

it('there are at least 40 faults with names of their own, and the help names each option', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length)
  expect(FAULTS.length).toBeGreaterThanOrEqual(40)
  for (const option of ['quick', 'only', 'list', 'seed', 'json', 'docs'])
    expect(CHAOS_HELP).toContain(`--${option}`)
})
