// Writes docs/schema: the JSON Schemas of job and result, made of the zod schemas that the product itself uses.
import { mkdir, writeFile } from 'node:fs/promises'

const { jobJsonSchema, resultJsonSchema } = await import('@isopod/protocol')

const folder = new URL('../docs/schema/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const [name, schema] of [
  ['job', jobJsonSchema()],
  ['result', resultJsonSchema()],
]) {
  await writeFile(new URL(`${name}.schema.json`, folder), `${JSON.stringify(schema, null, 2)}\n`)
}
