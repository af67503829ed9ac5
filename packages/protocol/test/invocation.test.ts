import { describe, expect, it } from 'vitest'
import { InvalidJobError } from '../src/errors.ts'
import { parseJob } from '../src/parse.ts'

function refusal(fields: object): string {
  try {
    parseJob({ code: 'x', ...fields })
  } catch (error) {
    if (error instanceof InvalidJobError) return error.message
    throw error
  }
  throw new Error('was accepted')
}

const env = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '']))
const many = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`)

describe('args and compileArgs of a job', () => {
  it('are kept unchanged, whatever text they contain', () => {
    const args = ['', '-x', '$(id)', 'a b\n"c"', 'é😀', '{filename}']
    expect(parseJob({ code: 'x', args, compileArgs: args })).toMatchObject({ args, compileArgs: args })
    expect(parseJob({ code: 'x', args: many(64) }).args).toHaveLength(64)
  })

  it.each(['args', 'compileArgs'])('%s are limited in number and size, and contain no NUL', (name) => {
    expect(refusal({ [name]: many(65) })).toMatch(new RegExp(`^${name}: must be at most 64 arguments`))
    expect(refusal({ [name]: ['x'.repeat(4097)] })).toMatch(
      new RegExp(`^${name}.0: must be text of at most 4 KiB`),
    )
    expect(refusal({ [name]: Array(33).fill('é'.repeat(2048)) })).toMatch(
      new RegExp(`^${name}: must be at most 128 KiB together`),
    )
    expect(refusal({ [name]: ['a', 'b\0'] })).toMatch(new RegExp(`^${name}.1: must have no NUL`))
    expect(refusal({ [name]: 'a b' })).toMatch(new RegExp(`^${name}: must be a list of texts, got`))
    expect(refusal({ [name]: [1] })).toMatch(new RegExp(`^${name}.0: must be text of at most 4 KiB, got 1`))
  })
})

describe('env of a job', () => {
  it.each([
    ...[
      'A',
      '_',
      'my_var2',
      'LANG',
      'LC_ALL',
      'TZ',
      'OMP_NUM_THREADS',
      'NODE_ENV',
      'DEBUG',
      'PYTHONHASHSEED',
    ],
    ...['PYTHONIOENCODING', 'ENVIRONMENT', 'HOMEPAGE', 'PATHS', 'A'.repeat(128)],
  ])('%s can be set', (name) => {
    expect(parseJob({ code: 'x', env: { [name]: 'a=b\n' } }).env).toEqual({ [name]: 'a=b\n' })
  })

  it.each([
    ...['PATH', 'HOME', 'TMPDIR', 'ISOPOD_X', 'http_proxy', 'HTTPS_PROXY', 'no_proxy', 'All_Proxy'],
    ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'ld_audit', 'GLIBC_TUNABLES', 'GCONV_PATH', 'OPENSSL_CONF'],
    ...['BASH_ENV', 'ENV', 'SHELLOPTS', 'BASHOPTS', 'PS4', 'PYTHONPATH', 'PYTHONSTARTUP', 'PYTHONOPTIMIZE'],
    ...['PYTHONHASHSEEDS', 'NODE_OPTIONS', 'NODE_PATH', 'PERL5OPT', 'RUBYOPT', 'JAVA_TOOL_OPTIONS'],
    ...['_JAVA_OPTIONS', 'JDK_JAVA_OPTIONS', 'CLASSPATH', 'PHPRC', 'LUA_INIT', 'R_PROFILE'],
  ])('%s cannot be set, and its value is not repeated', (name) => {
    const message = refusal({ env: { [name]: 'hunter2' } })
    expect(message).toMatch(new RegExp(`^env\\.${name}: must not be set: the platform sets it, or`))
    expect(message).not.toContain('hunter2')
  })

  it.each(['', '1A', 'A-B', 'A=B', 'A B', 'ä', 'A\0', 'BASH_FUNC_a%%', 'A'.repeat(129)])(
    'refuses %j as the name of a variable',
    (name) => {
      expect(refusal({ env: { [name]: '' } })).toMatch(/: must have names of letters, digits and "_"/)
    },
  )

  it('is limited in number and size, and its values contain no NUL', () => {
    expect(parseJob({ code: 'x', env: env(...many(64)) }).env).toBeDefined()
    expect(refusal({ env: env(...many(65)) })).toMatch(/^env: must be at most 64 variables/)
    expect(refusal({ env: { A: 'x'.repeat(4097) } })).toMatch(/^env\.A: must be text of at most 4 KiB/)
    const large = Object.fromEntries(many(16).map((name) => [name, 'x'.repeat(4096)]))
    expect(refusal({ env: large })).toMatch(/^env: must be at most 64 KiB together/)
    expect(refusal({ env: { A: 'b\0' } })).toMatch(/^env\.A: must have no NUL/)
    expect(refusal({ env: ['A=1'] })).toMatch(/^env: must be an object of texts, got a list of 1/)
    expect(refusal({ env: { A: 1 } })).toMatch(/^env\.A: must be text of at most 4 KiB, got 1/)
    expect(refusal({ env: JSON.parse('{"__proto__":"x"}') })).toMatch(/^env: must have no "__proto__"/)
  })
})
