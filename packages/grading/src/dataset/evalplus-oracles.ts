/** How a result is compared: Python expressions of `_actual`, `_expected` and `_arguments()`. */
export interface Oracle {
  /** What the result of the reference becomes. @default itself */
  readonly expected?: string
  /** @default equality */
  readonly equal?: string
  /** Accepted as well. */
  readonly or?: string
  /** Decides alone. */
  readonly only?: string
}

const SAME_SET: Oracle = { equal: 'set(_actual) == set(_expected)' }
const NOT_NONE: Oracle = {
  expected: '_expected is not None',
  equal: '_expected == (_actual if isinstance(_actual, bool) else _actual is not None)',
}
const MBPP: Readonly<Record<string, Oracle>> = {
  are_equivalent: { or: 'True' },
  sum_div: { or: '_actual == 0' },
  surface_Area: {
    // The height of the pyramid, not that of its sides.
    or: '(lambda base, height: abs(_actual - round(base**2 + 2 * base * ((base / 2) ** 2 + height**2) ** 0.5)) <= _tolerance)(*_arguments())',
  },
  digit_distance_nums: {
    // Both numbers with equally many digits.
    or: '(lambda one, other, digits=max(map(len, map(str, _arguments()))): _actual == sum(abs(int(a) - int(b)) for a, b in zip(str(one).zfill(digits), str(other).zfill(digits))))(*_arguments())',
  },
  ...Object.fromEntries(
    [
      'similar_elements',
      'find_char_long',
      'common_in_nested_lists',
      'extract_singly',
      'larg_nnum',
      'intersection_array',
      'find_dissimilar',
      'Diff',
    ].map((name) => [name, SAME_SET]),
  ),
  check_str: NOT_NONE,
  text_match_three: NOT_NONE,
  text_starta_endb: NOT_NONE,
}
const HUMANEVAL: Readonly<Record<string, Oracle>> = {
  // Any zero of the polynomial.
  find_zero: {
    only: 'abs(sum(factor * _actual**power for power, factor in enumerate(*_arguments()))) <= _tolerance',
  },
}

/**
 * The rule of a function with more than one right result.
 *
 * @see https://github.com/evalplus/evalplus, evalplus/eval
 */
export function oracleOf(isMbpp: boolean, entryPoint: string): Oracle {
  const oracles = isMbpp ? MBPP : HUMANEVAL
  return Object.hasOwn(oracles, entryPoint) ? (oracles[entryPoint] ?? {}) : {}
}
