import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Parser, Tree, TreeCursor } from '@vscode/tree-sitter-wasm'
import library from '@vscode/tree-sitter-wasm'
import { SyntaxNode, type SyntaxTree } from './syntax-node.ts'

/** The grammars that are loaded. */
export const GRAMMARS = ['python', 'javascript', 'typescript', 'bash'] as const

/** Name of a grammar. */
export type Grammar = (typeof GRAMMARS)[number]

/** More nodes than any honest 1 MiB of source has; each takes some 150 bytes. */
export const MAX_NODES = 1_000_000

/** Turns sources into trees. */
export type ParseSource = (grammar: Grammar, source: string) => SyntaxTree

/** The grammars of this process, each loaded when it is first needed: together they take some 15 MB. */
export interface Grammars {
  /** Has the parsers of these grammars there; to be awaited before `parse` is called for one of them. */
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
  const parsers = new Map<Grammar, Parser>()
  return {
    need: async (grammars) => {
      for (const grammar of grammars) {
        if (parsers.has(grammar)) continue
        const language = await library.Language.load(pathOf(grammar))
        parsers.set(grammar, new library.Parser().setLanguage(language))
      }
    },
    parse: (grammar, source) => {
      const tree = parsers.get(grammar)?.parse(source)
      if (!tree) throw new Error(`${grammar}: the parser gave no tree`)
      try {
        return copied(tree, source)
      } finally {
        tree.delete()
      }
    },
  }
}

/** Copies a tree out of the parser's memory, where each look at a node is a call. No recursion: trees are as deep as sources. */
function copied(tree: Tree, source: string): SyntaxTree {
  const cursor = tree.walk()
  const nodes: SyntaxNode[] = []
  let parent: SyntaxNode | undefined
  let complete = false
  const open: (SyntaxNode | undefined)[] = []
  try {
    while (!complete && nodes.length < MAX_NODES) {
      const node = copyOf(cursor, parent, source)
      if (node !== undefined) nodes.push(node)
      if (cursor.gotoFirstChild()) {
        open.push(parent)
        parent = node ?? parent
        continue
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) {
          complete = true
          break
        }
        parent = open.pop()
      }
    }
    return { nodes, broken: !complete || tree.rootNode.hasError }
  } finally {
    cursor.delete()
  }
}

/** Anonymous nodes are punctuation, but for operators, which have a role. */
function copyOf(cursor: TreeCursor, parent: SyntaxNode | undefined, source: string): SyntaxNode | undefined {
  const field = cursor.currentFieldName
  if (field === null && !cursor.nodeIsNamed) return undefined
  return new SyntaxNode(
    { type: cursor.nodeType, field, start: cursor.startIndex, end: cursor.endIndex },
    parent,
    source,
  )
}
