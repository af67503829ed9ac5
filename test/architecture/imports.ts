/** One import of a file. `target` is undefined if it is computed, so that it cannot be checked. */
export interface Import {
  readonly line: number
  readonly target: string | undefined
}

// Comments at the start of a line, because examples in docstrings can contain imports.
const COMMENTS = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*)/gm
// Only statements at the start of a line, where the formatter puts them, so that text in strings does not match.
const STATEMENT = /^(?:import|export)\b(?:[^'"`;()=]*?\bfrom)?\s*(['"])(?<target>[^'"\n]+)\1/gm
const CALL = /(?<![\w.$])(?:import|require)\s*\(\s*(?:(['"])(?<target>[^'"\n]+)\1)?/g

/** Lists static and dynamic imports, re-exports, type imports and calls of `require` in the text of a TypeScript file. */
export function importsOf(text: string): Import[] {
  // Comments are blanked rather than removed, so that line numbers stay.
  const code = text.replace(COMMENTS, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(STATEMENT), ...code.matchAll(CALL)].map((match) => ({
    line: code.slice(0, match.index).split('\n').length,
    target: match.groups?.['target'],
  }))
}

/** Lists the headers that the text of a C file includes with quotes, which are this repository's own. */
export function includesOf(text: string): string[] {
  return [...text.matchAll(/^#include "([^"]+)"/gm)].map(([, header]) => header ?? '')
}

/** The package that an import names: `a/b` → `a`, `@a/b/c` → `@a/b`. */
export function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')
}
