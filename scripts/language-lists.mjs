// Writes the lists that follow from the catalogue and the recipes of the images: deploy/images/compose.yaml, and the table in
// docs/languages.md. With --check it writes nothing and fails if one of them is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'

const { IMAGE_NAMES, IMAGES, imageDockerfile, parentOf, recipeArguments, USUAL_IMAGES } = await import(
  '@isopod/devstack'
)
const { DEFAULT_CATALOGUE_PATH } = await import('@isopod/languages')

const root = new URL('../', import.meta.url)
const START = '<!-- npm run languages writes this table -->\n'
const END = '<!-- end of the table -->'

const outdated = [
  ['deploy/images/compose.yaml', composeFile()],
  ['docs/languages.md', withTable(read('docs/languages.md'), languageTable())],
].filter(([path, text]) => read(path) !== text)

if (process.argv.includes('--check')) {
  for (const [path] of outdated) console.error(`${path} is out of date: run "npm run languages"`)
  process.exitCode = outdated.length > 0 ? 1 : 0
} else {
  for (const [path, text] of outdated) writeFileSync(new URL(path, root), text)
}

/** One service per image, which is only ever built. */
function composeFile() {
  const services = Object.fromEntries(IMAGE_NAMES.map((name) => [`image-${name}`, composeService(name)]))
  return [
    '# Written by `npm run languages` from packages/devstack/src/image-recipes.ts; do not edit it.\n',
    '# `docker compose --profile images build` builds what most jobs use, `--profile all-images` all languages.\n',
    stringify({ services }, { lineWidth: 0, flowCollectionPadding: false }),
  ].join('')
}

function composeService(name) {
  const parent = parentOf(name)
  const words = { ...recipeArguments(name), ...(parent === undefined ? {} : { BASE: 'base' }) }
  // Compose would take a dollar sign for a variable.
  const args = Object.entries(words).map(([key, value]) => [key, value.replaceAll('$', '$$$$')])
  return {
    profiles: USUAL_IMAGES.includes(name) ? ['images', 'all-images'] : ['all-images'],
    image: IMAGES[name],
    build: {
      context: '.',
      dockerfile: imageDockerfile(name),
      args: Object.fromEntries(args),
      ...(parent === undefined ? {} : { additional_contexts: { base: `service:image-${parent}` } }),
    },
    entrypoint: ['true'],
  }
}

function languageTable() {
  const catalogue = parse(readFileSync(DEFAULT_CATALOGUE_PATH, 'utf8'))
  const rows = Object.entries(catalogue).map(([name, { version, aliases = [], image }]) => [
    name,
    version,
    aliases.join(', '),
    /^isopod\/(\w+):/.exec(image)[1],
  ])
  return table([['language', 'version', 'also', 'image'], ...rows])
}

/** As the formatter would lay it out. */
function table([heading, ...rows]) {
  const widths = heading.map((_, column) => Math.max(...[heading, ...rows].map((row) => row[column].length)))
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |\n`
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('')
}

function withTable(text, rows) {
  const [before, rest] = text.split(START)
  const after = rest?.split(END)[1]
  if (after === undefined) throw new Error(`docs/languages.md: must have a table between ${START} and ${END}`)
  return `${before}${START}\n${rows}\n${END}${after}`
}

function read(path) {
  try {
    return readFileSync(fileURLToPath(new URL(path, root)), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}
