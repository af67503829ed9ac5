/** An import of one file by another. Both are paths from the same root, with `/`. */
export interface Arrow {
  readonly from: string
  readonly to: string
}

/**
 * Finds circles of imports between the entries of each folder, where a subfolder counts as one with all of its files. So it
 * finds two files that import each other, and a folder with a file that imports a file beside the folder which imports from
 * the folder. Returns one sentence per circle.
 */
export function findCircles(arrows: readonly Arrow[]): string[] {
  return [...levels(arrows)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([folder, level]) => circlesOf(level).map((circle) => sentence(folder, circle, level)))
}

/** The entries of one folder: entry → entries that it uses → an import between two files that shows it. */
type Level = Map<string, Map<string, Arrow>>

/** Assigns each arrow to the deepest folder that contains both of its files. */
function levels(arrows: readonly Arrow[]): Map<string, Level> {
  const found = new Map<string, Level>()
  for (const arrow of arrows) {
    const from = arrow.from.split('/')
    const to = arrow.to.split('/')
    const depth = from.findIndex((name, at) => name !== to[at])
    if (depth < 0) continue
    const level = entry(found, from.slice(0, depth).join('/'), () => new Map())
    const uses = entry(level, from[depth] ?? '', () => new Map<string, Arrow>())
    entry(uses, to[depth] ?? '', () => arrow)
  }
  return found
}

/** The shortest circle through each entry, without circles that were already found from another entry. */
function circlesOf(level: Level): string[][] {
  const seen = new Set<string>()
  return [...level.keys()].toSorted().flatMap((name) => {
    const circle = seen.has(name) ? undefined : shortestWayBack(level, name)
    for (const member of circle ?? []) seen.add(member)
    return circle === undefined ? [] : [circle]
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

function sentence(folder: string, circle: readonly string[], level: Level): string {
  const steps = circle.map((name, at) => {
    const arrow = level.get(name)?.get(circle[(at + 1) % circle.length] ?? '')
    return `${arrow?.from} uses ${arrow?.to}`
  })
  return `${folder || '.'}: ${[...circle, circle[0]].join(' → ')} is a circle: ${steps.join(', ')}`
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
