// The language images. `npm run images` lists them, `npm run images -- NAME…` builds these if they are missing or outdated, and
// `npm run images -- --all` builds all of them.
const { ensureStack, IMAGE_NAMES, imageStates, isImageName } = await import('@isopod/devstack')

const args = process.argv.slice(2)
const unknown = args.filter((word) => word !== '--all' && !isImageName(word))
if (unknown.length > 0) {
  console.error(`images: no image is called ${unknown.join(', ')}; there are ${IMAGE_NAMES.join(', ')}`)
  process.exit(2)
}
const images = args.includes('--all') ? IMAGE_NAMES : args
try {
  const { engine } = await ensureStack({ workers: 0, images, log: (line) => console.error(line) })
  const states = await imageStates(engine)
  if (args.length === 0) console.log(table(states))
  else console.error(`images are ready at ${engine.dockerHost}`)
} catch (error) {
  console.error(error.message)
  process.exit(3)
}

function table(states) {
  const rows = states.map(({ name, tag, state, base, bytes, ownBytes }) => {
    if (state === 'absent') return [name, tag, '', '', `absent; npm run images -- ${name}`]
    return [name, tag, mb(bytes), ownBytes > 0 ? `${mb(ownBytes)} on ${base}` : '', state]
  })
  const all = [['name', 'image', 'MB', 'its own layers', 'state'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column].length)))
  const lines = all.map((row) =>
    row
      .map((cell, at) => (at === 2 ? cell.padStart(widths[at]) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  const there = states.filter(({ state }) => state !== 'absent')
  return [...lines, `${there.length} of ${states.length} images are here`].join('\n')
}

function mb(bytes) {
  return (bytes / 1e6).toFixed(0)
}
