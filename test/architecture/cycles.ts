/** An import of one file by another. Both are paths from the same root, with `/`. */
export interface FileImport {
  readonly from: string
  readonly to: string
}

/**
 * Finds cycles of imports between the files and subfolders of each folder; a subfolder imports what any of its files imports.
 * Two files that import each other are a cycle; so are a subfolder and a file beside it that import each other. Returns one
 * sentence per cycle.
 */
export function findCycles(imports: readonly FileImport[]): string[] {
  return [...levels(imports)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([folder, level]) => cyclesOf(level).map((cycle) => sentence(folder, cycle, level)))
}

/** The entries of one folder: entry → entries that it imports → an example of such an import. */
type Level = Map<string, Map<string, FileImport>>

/** Assigns each import to the deepest folder that contains both of its files. */
function levels(imports: readonly FileImport[]): Map<string, Level> {
  const found = new Map<string, Level>()
  for (const imported of imports) {
    const from = imported.from.split('/')
    const to = imported.to.split('/')
    const depth = from.findIndex((name, at) => name !== to[at])
    if (depth < 0) continue
    const level = entry(found, from.slice(0, depth).join('/'), () => new Map())
    const uses = entry(level, from[depth] ?? '', () => new Map<string, FileImport>())
    entry(uses, to[depth] ?? '', () => imported)
  }
  return found
}

/** The shortest cycle through each entry that is not in a cycle found before. */
function cyclesOf(level: Level): string[][] {
  const seen = new Set<string>()
  return [...level.keys()].toSorted().flatMap((name) => {
    const cycle = seen.has(name) ? undefined : shortestWayBack(level, name)
    for (const member of cycle ?? []) seen.add(member)
    return cycle === undefined ? [] : [cycle]
  })
}

function shortestWayBack(level: Level, start: string): string[] | undefined {
  const ways: string[][] = [[start]]
  const reached = new Set<string>()
  for (const way of ways) {
    for (const next of level.get(way.at(-1) ?? '')?.keys() ?? []) {
      if (next === start) return way
      if (reached.has(next)) continue
      reached.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

function sentence(folder: string, cycle: readonly string[], level: Level): string {
  const steps = cycle.map((name, at) => {
    const example = level.get(name)?.get(cycle[(at + 1) % cycle.length] ?? '')
    return `${example?.from} uses ${example?.to}`
  })
  return `${folder || '.'}: ${[...cycle, cycle[0]].join(' → ')} is a cycle: ${steps.join(', ')}`
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
