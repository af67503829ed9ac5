import type { Capture, Match } from './match.ts'
import type { FactAt } from './rule.ts'

/** How a language resolves imported names. */
export interface NameResolution {
  /** The names of a module in rules; none if it belongs to the program. */
  readonly modulesOf: (text: string) => readonly string[]
  /** The paths in rules of a name that the program does not define. */
  readonly globalsOf: (path: string) => readonly string[]
}

interface Scope {
  readonly start: number
  readonly end: number
  /** Functions inside a class do not see its names. */
  readonly isClass: boolean
  parent: Scope | undefined
  /** Name → paths that it can refer to; none if the program defines it. */
  readonly names: Map<string, string[]>
}

/**
 * Reads the captures that the queries of Python and JavaScript share:
 * - `scope`, `scope.class`: names that are defined inside are not visible outside
 * - `own`, `own.outside`: a name that the program defines, inside or around the scope that begins there
 * - `module`: an imported module; with `bound`, its local name; with `star`, all of its names
 * - `root`: a name that is read
 * - `member`: a member of a `root` or `module`
 * - `attribute`: an expression that ends with a dot and a name
 * - `ignored`: not a `root`, although it matches like one
 * - `erased`: not a `module`, because the import does not exist at run time
 * - `shape.…`: a construct; with a `root` or `module`, the value that it is applied to
 */
export function nameFacts(
  matches: readonly Match[],
  { modulesOf, globalsOf }: NameResolution,
): readonly FactAt[] {
  const module = scopeOf({ start: 0, end: Infinity, name: 'scope' })
  const scopes = matches
    .flatMap((match) => match.filter(({ name }) => name.startsWith('scope')).map(scopeOf))
    .sort((one, other) => one.start - other.start || other.end - one.end)
  const ignored = new Set<number>()
  const erased = new Set<number>()
  const stars: string[] = []
  const found: FactAt[] = []
  const emit = (kind: FactAt['kind'], name: string, offset: number) => void found.push({ kind, name, offset })

  const read: Match[] = []
  for (const [match, scope] of inScopes(matches)) {
    const bound = match.find(({ name }) => name === 'bound')
    for (const { name, text, start, end } of match) {
      if (name === 'own') define(scope, text)
      else if (name === 'own.outside') define(scope.parent ?? scope, text)
      else if (name === 'star')
        stars.push(...match.flatMap((c) => (c.name === 'module' ? modulesOf(c.text) : [])))
      if (['own', 'own.outside', 'bound', 'ignored'].includes(name)) ignored.add(start)
      if (name === 'erased') erased.add(start)
      if (name === 'attribute') ignored.add(end - nameBehindDot(text).length)
    }
    if (bound) define(scope, bound.text, pathsIn(match, scope))
    if (!match.every(({ name }) => /^(own|scope|ignored)/.test(name))) read.push(match)
  }
  for (const [match, scope] of inScopes(read)) emitFacts(match, scope)
  return found

  function emitFacts(match: Match, scope: Scope): void {
    const base = baseOf(match)
    const shape = match.find(({ name }) => name.startsWith('shape.'))
    const hasMembers = match.some(({ name }) => name === 'member')
    for (const { name, text, end } of match) {
      const attribute = nameBehindDot(text)
      if (name === 'attribute') emit('attribute', attribute, end - attribute.length)
    }
    if (base === undefined) {
      if (shape) emit('shape', shape.name.slice('shape.'.length), shape.start)
      return
    }
    if ((base.name === 'root' ? ignored : erased).has(base.start)) return
    const isUnbound = base.name === 'root' && lookUp(base.text, scope) === undefined
    if (isUnbound && base.text.startsWith('__')) emit('attribute', base.text, base.start)
    for (const path of pathsIn(match, scope)) {
      if (shape) emit('shape', `${shape.name.slice('shape.'.length)} ${path}`, base.start)
      else if (base.name === 'root' || hasMembers) emit('use', path, base.start)
      if (base.name === 'module') for (const parent of withParents(path)) emit('import', parent, base.start)
    }
  }

  /** All paths that the name in a match can refer to. */
  function pathsIn(match: Match, scope: Scope): readonly string[] {
    const base = baseOf(match)
    if (base === undefined) return []
    const members = match.filter(({ name }) => name === 'member')
    // In a destructuring pattern the member precedes the object.
    const inOrder = [
      ...members.filter(({ start }) => start > base.start),
      ...members.filter(({ start }) => start < base.start),
    ]
    const path = (root: string) => [root, ...inOrder.map(({ text }) => text)].join('.')
    if (base.name === 'module') return modulesOf(base.text).map(path)
    const known = lookUp(base.text, scope)
    if (known !== undefined) return known.map(path)
    return [...globalsOf(path(base.text)), ...stars.map((star) => `${star}.${path(base.text)}`)]
  }

  /** Pairs matches with the innermost scope around their first capture. */
  function* inScopes(unordered: readonly Match[]): Generator<[Match, Scope]> {
    let current = module
    let next = 0
    const startOf = (match: Match) => (baseOf(match) ?? match[0])?.start ?? 0
    for (const match of unordered.toSorted((one, other) => startOf(one) - startOf(other))) {
      const start = startOf(match)
      for (let scope = scopes[next]; scope !== undefined && scope.start <= start; scope = scopes[++next]) {
        while (current.end <= scope.start && current.parent) current = current.parent
        scope.parent = current
        current = scope
      }
      while (current.end <= start && current.parent) current = current.parent
      yield [match, current]
    }
  }
}

function scopeOf({ start, end, name }: Pick<Capture, 'start' | 'end' | 'name'>): Scope {
  return { start, end, isClass: name === 'scope.class', parent: undefined, names: new Map() }
}

/** The capture at the start of a path. */
function baseOf(match: Match): Capture | undefined {
  return match.find(({ name }) => name === 'root' || name === 'module')
}

function define({ names }: Scope, name: string, paths: readonly string[] = []): void {
  names.set(name, [...(names.get(name) ?? []), ...paths])
}

/** The last name of an expression. A query for it would take time quadratic in the length of a chain. */
function nameBehindDot(expression: string): string {
  return expression.slice(expression.lastIndexOf('.') + 1).trimStart()
}

/** The paths that a name refers to; undefined if the program does not define it. */
function lookUp(name: string, inner: Scope): readonly string[] | undefined {
  for (let scope: Scope | undefined = inner; scope !== undefined; scope = scope.parent) {
    const paths = scope.isClass && scope !== inner ? undefined : scope.names.get(name)
    if (paths !== undefined) return paths
  }
  return undefined
}

/** `os.path` as `os` and `os.path`. */
function withParents(module: string): string[] {
  const parts = module.split('.')
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'))
}
