/** One frame with all stacks above it: microseconds in it and above. */
const frame = (name, library) => ({ name, library, us: 0, children: new Map() })

/** Time that is nobody's work: the loop waits, or V8 does not say. */
const IDLE = new Set(['(idle)', '(program)'])

/**
 * Folds CPU profiles into one tree: equal stacks become one, frames are named by function and file within their package.
 * Where the checkout lies is not told.
 *
 * @param {object[]} profiles contents of `.cpuprofile` files
 * @param {number} skipMs what came so soon after a profile's start is left out
 */
export function fold(profiles, skipMs = 0) {
  const root = frame('worker', '')
  for (const profile of profiles) {
    const parents = new Map(
      profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
    )
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
    let at = 0
    for (const [index, id] of profile.samples.entries()) {
      const us = Math.max(0, profile.timeDeltas[index] ?? 0)
      at += us
      if (at < skipMs * 1000) continue
      if (IDLE.has(nodes.get(id)?.callFrame.functionName)) continue
      const stack = []
      for (let at = id; parents.has(at); at = parents.get(at)) stack.unshift(nodes.get(at).callFrame)
      add(root, stack, us)
    }
  }
  return root
}

function add(root, stack, us) {
  let at = root
  at.us += us
  for (const call of stack) {
    const { name, library } = describe(call)
    // What calls itself, or an anonymous neighbour, shows nothing new.
    if (name === at.name) continue
    if (!at.children.has(name)) at.children.set(name, frame(name, library))
    at = at.children.get(name)
    at.us += us
  }
}

/** What a call is named in the graph, and whose it is. */
export function describe({ functionName, url }) {
  const [library, file] = placeOf(url)
  const own = functionName || 'anonymous'
  if (library === 'V8') return { name: own, library }
  return { name: `${own} (${file})`, library }
}

function placeOf(url) {
  if (url === '') return ['V8', '']
  if (url.startsWith('node:')) return ['node', url]
  const inside = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)(.*)$/.exec(url)
  if (inside) return [inside[1], `${inside[1]}/${inside[2].split('/').at(-1)}`]
  const ours = /\/((?:packages|apps)\/[^/]+)\/(?:dist|src)\/(.*)$/.exec(url)
  if (ours) return [ours[1], `${ours[1]}/${ours[2]}`]
  return ['other', url.split('/').at(-1)]
}
