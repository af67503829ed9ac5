import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type JsonSchema, jobJsonSchema, resultJsonSchema } from '../src/json-schema.ts'
import { parseJob } from '../src/parse.ts'
import { boundaryJob, validJob } from './fuzz/jobs.ts'

async function stored(name: string): Promise<unknown> {
  const url = new URL(`../../../docs/schema/${name}.schema.json`, import.meta.url)
  return JSON.parse(await readFile(url, 'utf8'))
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).success
}

function isJob(value: unknown): boolean {
  try {
    parseJob(value)
    return true
  } catch {
    return false
  }
}

describe('the JSON Schemas', () => {
  it('in docs/schema are up to date (npm run schemas writes them)', async () => {
    expect(await stored('job')).toEqual(jobJsonSchema())
    expect(await stored('result')).toEqual(resultJsonSchema())
  })

  it('give each field of a job a type', () => {
    const { properties = {} } = jobJsonSchema()
    const untyped = Object.entries(properties).filter(([, field]) => Object.keys(field).length === 0)
    // inputData may be any JSON.
    expect(untyped.map(([name]) => name)).toEqual(['inputData'])
    expect(jobJsonSchema()).toMatchObject({ required: ['code'], additionalProperties: false })
  })

  it('accept every job that parseJob accepts', () => {
    const schema = jobJsonSchema()
    fc.assert(
      fc.property(fc.oneof(validJob, boundaryJob), (job) => !isJob(job) || accepts(schema, job)),
      { numRuns: 200 },
    )
    const tests = [{ args: ['a'], files: { a: 'b' }, checker: 'tokens', limits: { cpus: 1 } }]
    const all = { code: 'x', args: ['a'], env: { A: '1' }, compileArgs: ['-g'], files: { a: 'b' }, tests }
    expect([isJob(all), accepts(schema, all)]).toEqual([true, true])
  })

  it.each([
    {},
    { code: '' },
    { code: 'x', colour: 'red' },
    { code: 'x', limits: { cpus: 0 } },
    { code: 'x', args: 'a b' },
    { code: 'x', args: Array(65).fill('') },
    { code: 'x', env: { 'A-B': '1' } },
    { code: 'x', files: { a: 5 } },
    { code: 'x', files: { a: { content: 'x', encoding: 'latin1' } } },
    { code: 'x', tests: [{ checker: 'fuzzy' }] },
    { code: 'x', stdin: 5 },
  ])('refuse %j, which is none', (value) => {
    expect([isJob(value), accepts(jobJsonSchema(), value)]).toEqual([false, false])
  })

  it('let a newer worker add fields to a result', () => {
    expect(resultJsonSchema().additionalProperties).toBeUndefined()
  })
})
