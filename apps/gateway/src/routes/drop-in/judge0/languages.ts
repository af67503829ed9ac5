import { findLanguage, type LanguageSummary } from '@isopod/protocol'

/** A language of the catalogue in Judge0. */
export interface Judge0Language {
  /** Judge0's name for it, without a version. */
  readonly title: string
  /** Its ids, one for each version and compiler that Judge0 has or had; all run the catalogue's version. */
  readonly ids: readonly number[]
  /** Whether `compiler_options` reach its compiler. */
  readonly compilerOptions?: true
}

/** Lower ids are versions that Judge0 has archived. */
const FIRST_ACTIVE_ID = 43

/**
 * Names of the catalogue → Judge0's ids. Not included: languages that the catalogue lacks, and versions that are in effect
 * another language: Python 2 (36, 37, 70), Scala 3 (112).
 */
export const JUDGE0_LANGUAGES: Readonly<Record<string, Judge0Language>> = {
  bash: { title: 'Bash', ids: [1, 2, 46] },
  c: { title: 'C', ids: [4, 5, 6, 7, 8, 9, 48, 49, 50, 75, 103, 104, 110], compilerOptions: true },
  cpp: { title: 'C++', ids: [10, 11, 12, 13, 14, 15, 52, 53, 54, 76, 105], compilerOptions: true },
  csharp: { title: 'C#', ids: [16, 17, 51], compilerOptions: true },
  clojure: { title: 'Clojure', ids: [18, 86] },
  elixir: { title: 'Elixir', ids: [20, 57] },
  erlang: { title: 'Erlang', ids: [21, 58] },
  go: { title: 'Go', ids: [22, 60, 95, 106, 107], compilerOptions: true },
  haskell: { title: 'Haskell', ids: [23, 24, 61], compilerOptions: true },
  java: { title: 'Java', ids: [26, 27, 28, 62, 91] },
  javascript: { title: 'JavaScript', ids: [29, 30, 63, 93, 97, 102] },
  ocaml: { title: 'OCaml', ids: [31, 65], compilerOptions: true },
  octave: { title: 'Octave', ids: [32, 66] },
  pascal: { title: 'Pascal', ids: [33, 67], compilerOptions: true },
  python: { title: 'Python', ids: [34, 35, 71, 92, 100, 109, 113] },
  ruby: { title: 'Ruby', ids: [38, 39, 40, 41, 72] },
  rust: { title: 'Rust', ids: [42, 73, 108], compilerOptions: true },
  lisp: { title: 'Common Lisp', ids: [55] },
  d: { title: 'D', ids: [56], compilerOptions: true },
  fortran: { title: 'Fortran', ids: [59], compilerOptions: true },
  lua: { title: 'Lua', ids: [64] },
  php: { title: 'PHP', ids: [68, 98] },
  prolog: { title: 'Prolog', ids: [69] },
  typescript: { title: 'TypeScript', ids: [74, 94, 101] },
  cobol: { title: 'COBOL', ids: [77], compilerOptions: true },
  kotlin: { title: 'Kotlin', ids: [78, 111] },
  r: { title: 'R', ids: [80, 99] },
  scala: { title: 'Scala', ids: [81] },
  sql: { title: 'SQL', ids: [82] },
  swift: { title: 'Swift', ids: [83], compilerOptions: true },
  perl: { title: 'Perl', ids: [85] },
}

const BY_ID: ReadonlyMap<number, string> = new Map(
  Object.entries(JUDGE0_LANGUAGES).flatMap(([name, { ids }]) => ids.map((id) => [id, name] as const)),
)

/** One entry of Judge0's list of languages. */
export interface Judge0LanguageEntry {
  readonly id: number
  readonly name: string
  readonly is_archived: boolean
}

/** The catalogue's name for an id of Judge0; undefined if there is none. */
export function languageOfId(id: number): string | undefined {
  return BY_ID.get(id)
}

/** Judge0's list, in the order of ids: each id of a language that workers offer, with the version that it runs. */
export function judge0LanguageEntries(offered: readonly LanguageSummary[]): Judge0LanguageEntry[] {
  return [...BY_ID]
    .flatMap(([id, name]) => {
      const language = findLanguage(offered, name)
      if (language === undefined || language.missingImage !== undefined) return []
      const { title } = JUDGE0_LANGUAGES[name] ?? { title: name }
      return [{ id, name: `${title} (${language.version})`, is_archived: id < FIRST_ACTIVE_ID }]
    })
    .sort((one, other) => one.id - other.id)
}
