import type { Fields } from './record.ts'

/** CodeContests' numbers of languages, in the order in which a reference is chosen. 1 is Python 2. */
const LANGUAGES: readonly (readonly [number | string, string])[] = [
  [3, 'python'],
  ['PYTHON3', 'python'],
  [2, 'cpp'],
  ['CPP', 'cpp'],
  [4, 'java'],
  ['JAVA', 'java'],
]

/** A right solution of CodeContests in a language of the catalogue; undefined if there is none. */
export function codeContestsSolution(
  record: Fields,
): { readonly text: string; readonly language: string } | undefined {
  const value = record.raw('solutions')
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const solutions = record.object('solutions')
  const numbers = solutions?.raw('language')
  if (solutions === undefined || !Array.isArray(numbers)) return undefined
  const texts = solutions.texts('solution')
  for (const [number, language] of LANGUAGES) {
    const text = texts[numbers.indexOf(number)]
    if (text !== undefined && text !== '') return { text, language }
  }
  return undefined
}
