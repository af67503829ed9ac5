import { parseLossless } from './lossless-json.ts'
import type { TestInput } from './problem.ts'
import { pythonLiteral } from './python-literal.ts'
import type { Fields } from './record.ts'

/** Arguments of one call and its expected result, as JSON values. */
export interface ExpectedCall {
  readonly args: readonly unknown[]
  /** Any of them is right. */
  readonly results: readonly unknown[]
}

/**
 * Scripts that call a function, or the method of a class `Solution`, and compare its result. Tuples are equal to lists, and
 * keys of dicts to their text, because the expected results come from JSON.
 */
export function callTests(record: Fields, name: string, calls: readonly ExpectedCall[]): TestInput[] {
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) {
    throw record.fieldError('fn_name', 'must be the name of a function', name)
  }
  return calls.map(({ args, results }) => {
    const held = results.map((result) => `_result == ${pythonLiteral(result)}`).join(' or ')
    return {
      script: `${PLAIN}
try:
    _function = Solution().${name}
except NameError:
    _function = ${name}
_result = _plain(_function(${args.map(pythonLiteral).join(', ')}))
assert ${held}, "${name} returned a wrong result"
`,
    }
  })
}

/**
 * Parses JSON of a data set whose values become arguments or results.
 *
 * @throws {DatasetError} naming the field
 */
export function jsonValue(record: Fields, field: string, text: string): unknown {
  try {
    return parseLossless(text)
  } catch {
    throw record.fieldError(field, 'must be JSON', text)
  }
}

const PLAIN = `def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return value

`
