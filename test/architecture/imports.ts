/** One import of a file: what it names, or undefined where that is computed and cannot be checked. */
export interface Import {
  readonly line: number
  readonly target: string | undefined
}

// Comments that begin a line: examples in docstrings import things too.
const COMMENTS = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*)/gm
// The formatter puts statements at the start of a line, so nothing inside a template or a string is taken for one.
const STATEMENT = /^(?:import|export)\b(?:[^'"`;()=]*?\bfrom)?\s*(['"])(?<target>[^'"\n]+)\1/gm
const CALL = /(?<![\w.$])(?:import|require)\s*\(\s*(?:(['"])(?<target>[^'"\n]+)\1)?/g

/** Lists static and dynamic imports, re-exports, type imports and calls of `require` in the text of a TypeScript file. */
export function importsOf(text: string): Import[] {
  // Blanked rather than cut, so that line numbers stay.
  const code = text.replace(COMMENTS, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(STATEMENT), ...code.matchAll(CALL)].map((match) => ({
    line: code.slice(0, match.index).split('\n').length,
    target: match.groups?.['target'],
  }))
}

/** Lists the headers of ours that the text of a C file includes. */
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
