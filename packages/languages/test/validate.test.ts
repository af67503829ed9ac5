import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { validateCatalogue } from '../src/validate.ts'
import { entry } from './support.ts'

/** The message of the error. */
function refusal(document: unknown): string {
  try {
    validateCatalogue(document, 'langs.json')
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  }
  throw new Error('nothing was refused')
}

describe('validateCatalogue', () => {
  it('names file, language and field of every problem at once', () => {
    const message = refusal({
      perl: entry({ filename: '../main.pl' }),
      ruby: entry({ image: 5, timeout_factor: 0 }),
    })
    expect(message).toContain('langs.json: ')
    expect(message).toContain('perl.filename: must be a plain file name, got "../main.pl"')
    expect(message).toContain('ruby.image: must be text')
    expect(message).toContain('ruby.timeout_factor: must be a number from 0.1 to 10, got 0')
  })

  it('refuses unknown fields', () => {
    expect(refusal({ perl: entry({ imge: 'x' }) })).toContain('perl.imge: unknown field')
  })

  it('refuses what is not an object of objects', () => {
    for (const document of [null, 'perl', 7, [entry()]]) {
      expect(refusal(document)).toBe('langs.json: must be an object of language name to entry')
    }
    expect(refusal({})).toContain('must have 1 to 100 languages')
    expect(refusal({ perl: 5 })).toBe('langs.json: perl: must be an object, got 5')
  })

  it.each(['', 'two words', 'a@b', '-rf', '../x', 'x'.repeat(33), 'a\u001b[2J'])(
    'refuses the language name %j',
    (name) => {
      expect(refusal({ [name]: entry() })).toContain('language name: must be 1 to 32 characters')
    },
  )

  it('refuses names like __proto__ without changing a prototype', () => {
    const document: unknown = JSON.parse('{"__proto__": {"image": "x"}, "perl": {"image": "x"}}')
    expect(refusal(document)).toContain('language name: ')
  })

  it('refuses a name or alias of two languages, whatever its case', () => {
    expect(refusal({ perl: entry({ aliases: ['pl'] }), prolog: entry({ aliases: ['PL'] }) })).toBe(
      'langs.json: prolog.aliases: "PL" is already taken by perl',
    )
    expect(refusal({ perl: entry(), Perl: entry() })).toContain('Perl.name: "Perl" is already taken by perl')
  })

  it('refuses a version that YAML read as a number', () => {
    expect(refusal({ perl: entry({ version: 3.1 }) })).toMatch(/perl\.version: .*got 3\.1$/)
  })

  it('refuses a command that would never run the code', () => {
    expect(refusal({ perl: entry({ command: ['perl'] }) })).toContain('perl.command: must have "{filename}"')
    expect(() =>
      validateCatalogue({ c: entry({ command: ['./a'], compile: ['cc', '{filename}'] }) }, 'x'),
    ).not.toThrow()
  })

  it('refuses hook files outside .isopod/', () => {
    for (const file of ['sitecustomize.py', '.isopod/../x', '.isopod/', '/etc/x', '.isopod//x']) {
      const message = refusal({ perl: entry({ input_hook: { files: { [file]: '' } } }) })
      expect(message).toContain('perl.input_hook.files: must have paths below .isopod/')
    }
  })

  it('refuses a language that asks for a network', () => {
    expect(refusal({ perl: entry({ allow_network: true }) })).toContain('perl.allow_network: must be false')
  })

  it('folds default_memory_mb into the default limits', () => {
    const [language] = validateCatalogue({ perl: entry({ default_memory_mb: 64 }) }, 'x')
    expect(language?.default_limits).toEqual({ memoryMb: 64 })
    expect(language).not.toHaveProperty('default_memory_mb')
  })

  it('refuses two memory defaults that disagree, and parts of a MiB', () => {
    const both = entry({ default_memory_mb: 64, default_limits: { memoryMb: 128 } })
    expect(refusal({ perl: both })).toContain('perl.default_memory_mb: must agree')
    expect(refusal({ perl: entry({ default_memory_mb: 64.5 }) })).toContain('must be a whole number')
  })
})
