import { z } from 'zod'
import { fileSchema } from './files.ts'
import { jobSchema } from './job.ts'
import { storedResultSchema } from './result.ts'

/** A JSON Schema (draft 2020-12) as an object. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * The JSON Schema of a job, for producers without zod. A job that it accepts can still be refused: it does not express sizes
 * in bytes, totals, and combinations of fields.
 */
export function jobJsonSchema(): JsonSchema {
  return { title: 'Job', ...toJsonSchema(jobSchema) }
}

/** The JSON Schema of a result in Redis. A newer worker may add fields. */
export function resultJsonSchema(): JsonSchema {
  return { title: 'Result', ...toJsonSchema(storedResultSchema) }
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const checked = afterGuard(zodSchema)
      if (checked === undefined) return
      const { $schema: _, ...rest } = toJsonSchema(checked)
      Object.assign(jsonSchema, zodSchema === fileSchema ? { anyOf: [{ type: 'string' }, rest] } : rest)
    },
  })
}

/** The schema after a guard. A guard checks a value before its schema, in a way that JSON Schema cannot express. */
function afterGuard(schema: z.core.$ZodType): z.ZodType | undefined {
  if (!(schema instanceof z.ZodPipe)) return undefined
  const { in: guard, out } = schema._zod.def
  if (!(out instanceof z.ZodType) || out instanceof z.ZodTransform) return undefined
  return isGuard(guard) ? out : undefined
}

function isGuard(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodPipe) return isGuard(schema._zod.def.in)
  return schema instanceof z.ZodCustom
}
