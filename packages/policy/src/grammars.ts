import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import library, { type Parser, type Query, type QueryMatch, type Tree } from '@vscode/tree-sitter-wasm'
import { GRAMMARS, type Grammar, type Match } from './match.ts'
import { QUERIES } from './rules/all.ts'

/** The matches of a query in a source. */
export interface ParsedSource {
  readonly matches: readonly Match[]
  /** Whether the source has syntax errors. */
  readonly broken: boolean
  /** Whether constructs nest too deeply for the query to match all of them. */
  readonly tooDeep: boolean
}

/** Maximum number of unfinished matches; without it a hostile source takes time quadratic in its length. */
const MAX_OPEN_MATCHES = 4096
/** Half of the maximum depth of the library's queries. */
const MAX_DEPTH = 32_768

/** Matches the query of a grammar against a source. */
export type ParseSource = (grammar: Grammar, source: string) => ParsedSource

/** The grammars of this process. Each is loaded on first use, because together they take some 15 MB. */
export interface Grammars {
  /** Loads grammars. Await it before `parse` is called for one of them. */
  need(grammars: Iterable<Grammar>): Promise<void>
  readonly parse: ParseSource
}

/**
 * Makes the parser ready to load grammars.
 *
 * @throws if a grammar is missing: a fault of the installation
 */
export async function openGrammars(): Promise<Grammars> {
  const folder = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'))
  const pathOf = (grammar: Grammar) => join(folder, `tree-sitter-${grammar}.wasm`)
  await Promise.all(GRAMMARS.map((grammar) => access(pathOf(grammar), constants.R_OK)))
  await library.Parser.init()
  const loaded = new Map<Grammar, { parser: Parser; query: Query }>()
  return {
    need: async (grammars) => {
      for (const grammar of grammars) {
        if (loaded.has(grammar)) continue
        const language = await library.Language.load(pathOf(grammar))
        const parser = new library.Parser().setLanguage(language)
        loaded.set(grammar, { parser, query: new library.Query(language, QUERIES[grammar]) })
      }
    },
    parse: (grammar, source) => {
      const { parser, query } = loaded.get(grammar) ?? {}
      const tree = parser?.parse(source)
      if (!tree || !query) throw new Error(`${grammar}: the parser gave no tree`)
      try {
        const matches = query.matches(tree.rootNode, { matchLimit: MAX_OPEN_MATCHES })
        return {
          matches: matches.map((match) => matchOf(match, source)),
          broken: tree.rootNode.hasError,
          tooDeep: query.didExceedMatchLimit() || isDeep(tree),
        }
      } finally {
        tree.delete()
      }
    },
  }
}

/**
 * Whether nodes nest more deeply than queries can match. Checks every `MAX_DEPTH`th node in source order, which cannot miss a
 * chain of twice that depth.
 */
function isDeep({ rootNode }: Tree): boolean {
  const cursor = rootNode.walk()
  try {
    for (let index = 0; index < rootNode.descendantCount; index += MAX_DEPTH) {
      cursor.gotoDescendant(index)
      if (cursor.currentDepth >= MAX_DEPTH) return true
    }
    return false
  } finally {
    cursor.delete()
  }
}

/** Copies a match from the parser's memory. */
function matchOf({ captures }: QueryMatch, source: string): Match {
  return captures
    .map(({ name, node: { startIndex: start, endIndex: end } }) => {
      return { name, text: source.slice(start, end), start, end }
    })
    .sort((one, other) => one.start - other.start)
}
