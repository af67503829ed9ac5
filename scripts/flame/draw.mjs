const WIDTH = 1200
const ROW = 17
const CHARACTER = 6.6
/** Narrower frames are left out: nobody could read or hit them. */
const LEAST_WIDTH = 0.7

/** Hues of those whose part matters; all others are grey. */
const HUES = {
  node: 210,
  V8: 0,
  ioredis: 12,
  bullmq: 30,
  dockerode: 190,
  'docker-modem': 190,
  zod: 280,
  pino: 320,
  'sonic-boom': 320,
  '@pinojs/redact': 320,
  'prom-client': 300,
}

function colour(library) {
  if (/^(packages|apps)\//.test(library)) return 'hsl(130 45% 72%)'
  const hue = HUES[library]
  return hue === undefined ? 'hsl(0 0% 84%)' : `hsl(${hue} 60% ${library === 'node' ? 86 : 80}%)`
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * Draws a folded tree as a flame graph: the width of a frame is its share of the CPU time, what it calls stands on it. The
 * SVG needs nothing else; the name and share of a frame show when the pointer rests on it.
 *
 * @param root from `fold`
 * @param {string} title one line above it
 */
export function draw(root, title) {
  const boxes = []
  let deepest = 0
  const place = (frame, x, depth) => {
    const width = (frame.us / root.us) * WIDTH
    if (width < LEAST_WIDTH) return
    deepest = Math.max(deepest, depth)
    boxes.push({ frame, x, width, depth })
    let at = x
    for (const child of [...frame.children.values()].sort((a, b) => b.us - a.us)) {
      place(child, at, depth + 1)
      at += (child.us / root.us) * WIDTH
    }
  }
  place(root, 0, 0)
  const height = (deepest + 1) * ROW + 30
  const rows = boxes.map(({ frame, x, width, depth }) => {
    const y = height - (depth + 1) * ROW
    const share = `${((100 * frame.us) / root.us).toFixed(1)} %`
    const room = Math.floor((width - 4) / CHARACTER)
    const label = room < 4 ? '' : frame.name.length > room ? `${frame.name.slice(0, room - 1)}…` : frame.name
    const text = label && `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(label)}</text>`
    const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.3, width - 0.3).toFixed(1)}" height="${ROW - 1}" fill="${colour(frame.library)}"/>`
    return `<g><title>${escaped(`${frame.name}: ${share}`)}</title>${box}${text}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    `<text x="6" y="18" font-size="13">${escaped(title)}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n')
}
