/** A change of a Python program: what is replaced, and by what. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' + '],
  [/ \/\/ /g, ' * '],
  [/ % /g, ' // '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ == /g, ' != '],
  [/ != /g, ' == '],
  [/ and /g, ' or '],
  [/ or /g, ' and '],
  [/ not in /g, ' in '],
  [/\bnot /g, ''],
  [/\bTrue\b/g, 'False'],
  [/\bFalse\b/g, 'True'],
  [/\b0\b/g, '1'],
  [/\b1\b/g, '2'],
  [/\b2\b/g, '3'],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\.append\(/g, '.count('],
  [/\bsorted\(/g, 'list('],
  [/^( *)return .*$/gm, '$1return None'],
  [/^( *)return (.*)$/gm, '$1return [$2]'],
]

/** All programs that differ from this one in one place. */
export function mutantsOf(code: string): string[] {
  const mutants = CHANGES.flatMap(([find, put]) =>
    [...code.matchAll(find)].map(({ index, 0: found }) => {
      const changed = found.replace(new RegExp(find.source, find.flags.replace('g', '')), put)
      return `${code.slice(0, index)}${changed}${code.slice(index + found.length)}`
    }),
  )
  return [...new Set(mutants)].filter((mutant) => mutant !== code)
}
