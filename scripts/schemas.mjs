// Writes the generated files: docs/schema, tables of settings, limits, metrics and languages, environments in
// docker-compose.yaml, the images that Compose builds, the schema of the chart's values, and the file extensions of languages.
// With --check it changes nothing, and fails if a file differs.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { jobJsonSchema, resultJsonSchema } from '@isopod/protocol'
import { chartValuesSchema } from './chart-schema.ts'
import { imagesComposeFile, languageExtensionsFile } from './language-lists.ts'
import { fillMarkers, REFERENCE } from './reference.ts'

const isCheck = process.argv.includes('--check')
const urlOf = (path) => new URL(`../${path}`, import.meta.url)

const schemas = { job: jobJsonSchema(), result: resultJsonSchema() }
const written = Object.entries(schemas).map(([name, schema]) => [
  `docs/schema/${name}.schema.json`,
  async () => `${JSON.stringify(schema, null, 2)}\n`,
])
written.push(
  ['deploy/helm/isopod/values.schema.json', async () => `${JSON.stringify(chartValuesSchema(), null, 2)}\n`],
  ['deploy/images/compose.yaml', async () => imagesComposeFile()],
  ['apps/cli/src/input/language-extensions.ts', async () => languageExtensionsFile()],
)
const filled = Object.entries(REFERENCE).map(([path, sections]) => [
  path,
  async () => fillMarkers(await readFile(urlOf(path), 'utf8'), sections, path),
])

await mkdir(urlOf('docs/schema/'), { recursive: true })
for (const [path, make] of [...written, ...filled]) {
  const text = await make()
  if (text === (await readFile(urlOf(path), 'utf8').catch(() => ''))) continue
  if (!isCheck) {
    await writeFile(urlOf(path), text)
    console.log(`updated ${path}`)
  } else {
    console.error(`${path} differs from the schemas; run: npm run schemas`)
    process.exitCode = 1
  }
}
