import { describe, expect, it } from 'vitest'
import { parseOptions, UsageError } from '../options.ts'

const legsOf = (architecture: string) => (architecture === 'x64' ? ['self-test', 'limits'] : ['self-test'])
const parse = (...argv: string[]) => parseOptions(argv, legsOf)

describe('the options of test:vm', () => {
  it('are all legs of x64 by default', () => {
    expect(parse()).toEqual({
      kind: 'run',
      options: {
        architecture: 'x64',
        legs: ['self-test', 'limits'],
        specs: undefined,
        only: undefined,
        console: false,
        deadline: undefined,
        fresh: false,
      },
    })
  })

  it('choose a processor, legs and a timeout', () => {
    expect(parse('--arch', 'arm64', '--leg', 'self-test', '--deadline', '20')).toMatchObject({
      options: { architecture: 'arm64', legs: ['self-test'], deadline: 20 },
    })
  })

  it('run a spec in the first leg unless another leg is named', () => {
    expect(parse('--spec', 'a.test.ts')).toMatchObject({
      options: { legs: ['self-test'], specs: ['a.test.ts'] },
    })
    expect(parse('--spec', 'a.test.ts', '--leg', 'limits')).toMatchObject({ options: { legs: ['limits'] } })
  })

  it.each([
    ['--arch', 'mips', /--arch: must be one of x64, arm64, got "mips"/],
    ['--leg', 'none', /--leg: must be one of self-test, limits, got "none"/],
    ['--deadline', '0', /--deadline: must be minutes, 1 to 9999, got "0"/],
    ['--what', '1', /--what/],
  ])('refuse %s %s', (option, value, message) => {
    expect(() => parse(option, value)).toThrow(UsageError)
    expect(() => parse(option, value)).toThrow(message)
  })
})
