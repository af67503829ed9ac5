import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RULES } from '../src/index.ts'
import { check } from './support/check.ts'

const EXTENSIONS = ['py', 'js', 'ts', 'sh'] as const
const IDS = new Set(RULES.map(({ id }) => id))

/** Text that grammars and queries treat specially. */
const PIECES = [
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '`',
    '"""',
    '${',
    '$(',
    '\\',
    '\n',
    '\r',
    '\0',
    '\ufeff',
    '\ud800',
    '\u2028',
  ],
  ...[
    'eval',
    'os',
    'import ',
    'from ',
    'as ',
    'def ',
    'class ',
    'lambda ',
    'x',
    '.',
    ',',
    ':',
    ';',
    '=',
    '+',
    '|',
    '&',
    '<',
    '>',
  ],
  ...[
    'getattr(',
    'require(',
    '__builtins__',
    'constructor',
    'f"{',
    'chr(',
    '.join(',
    'const {',
    '} = ',
    '=> ',
    '<<EOF\n',
    'EOF\n',
  ],
  ...[
    'del ',
    'global ',
    'for ',
    ' in ',
    'if ',
    'case ',
    '\\u{ffffffff}',
    '\\x',
    '\\U00ffffff',
    '# coding: utf-7',
    '-c ',
    'bash ',
  ],
]
const source = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

describe('the policy check of a hostile source', () => {
  it.each(EXTENSIONS)('does not fail for random combinations: %s', (extension) => {
    fc.assert(
      fc.property(source, fc.constantFrom('standard' as const, 'strict' as const), (text, rules) => {
        for (const finding of check(extension, text, rules).findings) {
          expect(IDS).toContain(finding.rule)
          expect(finding.line).toBeGreaterThan(0)
          expect(finding.line).toBeLessThanOrEqual(text.split(/\r\n?|\n/).length)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['py', `${'('.repeat(20_000)}eval${')'.repeat(20_000)}`],
    ['py', `x = ${'"a" + '.repeat(20_000)}eval`],
    ['py', `${'not '.repeat(20_000)}eval`],
    ['py', `eval${'.a'.repeat(20_000)}`],
    ['py', `${Array.from({ length: 5_000 }, (_, n) => `x${n} = x${n + 1}`).join('\n')}\nx5000 = x0\neval`],
    ['js', `${'['.repeat(20_000)}eval${']'.repeat(20_000)}`],
    ['js', `${'x => '.repeat(5_000)}eval`],
    ['ts', `${'(('.repeat(5_000)}eval${'))'.repeat(5_000)}`],
    ['sh', `${'$('.repeat(2_000)}eval x${')'.repeat(2_000)}`],
    ['js', `eval${'.a'.repeat(20_000)}`],
    ['sh', `${'env -a '.repeat(20_000)}eval`],
  ] as const)('finds a violation inside very long nesting or chaining: %s', (extension, text) => {
    expect(
      check(extension, text)
        .findings.map(({ rule }) => rule)
        .join(),
    ).toMatch(/eval/)
  })

  it('reports source that is nested too deeply for the parser’s queries as unchecked', () => {
    const { findings, gaps } = check('py', `${'('.repeat(100_000)}eval${')'.repeat(100_000)}`)
    expect({ findings, gaps }).toEqual({
      findings: [],
      gaps: ['nests too deeply to be checked as a whole; the rest was checked'],
    })
  })

  it.each(EXTENSIONS)('finds source behind a NUL, a byte order mark or a lone surrogate: %s', (extension) => {
    const statement = extension === 'sh' ? '\neval x' : '\neval("x")'
    for (const odd of ['\0', '\ufeff', '# \0', '# \ud800', '"\udfff"']) {
      const comment = extension === 'js' || extension === 'ts' ? odd.replace('#', '//') : odd
      expect(
        check(extension, comment + statement)
          .findings.map(({ rule }) => rule)
          .join(),
      ).toMatch(/eval/)
    }
  })
})
