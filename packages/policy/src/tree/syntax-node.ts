/** One named node of a syntax tree, or an anonymous one that has a field (an operator). Plain, so that rules read it fast. */
export class SyntaxNode {
  readonly type: string
  /** Its role in the parent, as the grammar calls it (`left`, `value`). */
  readonly field: string | null
  readonly parent: SyntaxNode | undefined
  readonly children: SyntaxNode[] = []
  /** Offsets in the source, in UTF-16 code units. */
  readonly start: number
  readonly end: number
  readonly #source: string

  constructor(
    at: { type: string; field: string | null; start: number; end: number },
    parent: SyntaxNode | undefined,
    source: string,
  ) {
    this.type = at.type
    this.field = at.field
    this.start = at.start
    this.end = at.end
    this.parent = parent
    this.#source = source
    parent?.children.push(this)
  }

  get text(): string {
    return this.#source.slice(this.start, this.end)
  }

  /** The first child with this role. */
  at(field: string): SyntaxNode | undefined {
    return this.children.find((child) => child.field === field)
  }

  /** The first child of this type. */
  first(type: string): SyntaxNode | undefined {
    return this.children.find((child) => child.type === type)
  }
}

/** A source as a tree. */
export interface SyntaxTree {
  /** Every node, parents before their children, in the order of the text. */
  readonly nodes: readonly SyntaxNode[]
  /** Whether the parser had to skip or invent something. */
  readonly broken: boolean
}
