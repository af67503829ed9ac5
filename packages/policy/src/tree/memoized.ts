import type { SyntaxNode } from './syntax-node.ts'
import { UNKNOWN, type Values } from './value.ts'

/**
 * Makes a function of nodes remember what it found, and end: an expression within itself, or deeper than `deepest` within
 * others, is unknown.
 *
 * @param fresh finds what is not known yet; it asks about other nodes through the function that is returned
 */
export function memoized(deepest: number, fresh: (node: SyntaxNode) => Values): (node: SyntaxNode) => Values {
  const known = new Map<SyntaxNode, Values>()
  let depth = 0
  return (node) => {
    const before = known.get(node)
    if (before !== undefined) return before
    if (depth > deepest) return UNKNOWN
    // A name that is bound to itself meets this on its way round.
    known.set(node, UNKNOWN)
    depth++
    const found = fresh(node)
    depth--
    known.set(node, found)
    return found
  }
}
