import type { SyntaxNode } from './syntax-node.ts'

/** What a name may stand for in one of the places that bind it; an empty one says that nobody can tell. */
export interface Candidate {
  /** The expression whose value it gets. */
  readonly node?: SyntaxNode
  /** A path, where a declaration says it without an expression (`import os as o`). */
  readonly path?: string
  /** Members taken off the value, one after the other (`const { exec: e } = …`). */
  readonly keys?: readonly string[]
}

/** Names of one stretch of a program. */
export class Scope {
  readonly kind: 'module' | 'function' | 'class' | 'comprehension' | 'block'
  readonly parent: Scope | undefined
  readonly names = new Map<string, Candidate[]>()
  /** Modules whose names are all imported. */
  readonly stars: string[] = []
  /** Names that another scope binds for this one (`global`, `nonlocal`). */
  readonly elsewhere = new Map<string, Scope>()
  /** Where a top-level definition for good takes the place of a global of the same name, from this offset on. */
  readonly definite = new Map<string, number>()

  constructor(kind: Scope['kind'], parent?: Scope) {
    this.kind = kind
    this.parent = parent
  }

  bind(name: string, candidate: Candidate = {}): void {
    const scope = this.elsewhere.get(name) ?? this
    const candidates = scope.names.get(name)
    if (candidates === undefined) scope.names.set(name, [candidate])
    // What is bound without end is opaque soon enough; the first places say the most.
    else if (candidates.length < 16) candidates.push(candidate)
  }

  /** The nearest scope, from this one outwards, of one of these kinds; the outermost if there is none. */
  nearest(...kinds: Scope['kind'][]): Scope {
    let scope: Scope = this
    while (!kinds.includes(scope.kind) && scope.parent !== undefined) scope = scope.parent
    return scope
  }
}
