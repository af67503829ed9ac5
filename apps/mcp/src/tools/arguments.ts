import { describeProblems, InvalidJobError, ISOLATIONS } from '@isopod/protocol'
import { type Tool as ToolDefinition, ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

/** Bounds of a timeout in the specification of the MCP tool, in seconds. */
const TIMEOUT = { min: 1, max: 300, default: 30 } as const
const TIMEOUT_RULE = `must be a whole number from ${TIMEOUT.min} to ${TIMEOUT.max}`

/** Timeout of a program, in seconds. */
export const timeoutArgument = z
  .number({ error: TIMEOUT_RULE })
  .int({ error: TIMEOUT_RULE })
  .min(TIMEOUT.min, { error: TIMEOUT_RULE })
  .max(TIMEOUT.max, { error: TIMEOUT_RULE })
  .default(TIMEOUT.default)

const ISOLATION_RULE = `must be one of ${ISOLATIONS.join(', ')}`

/** What isolates a program. */
export const isolationArgument = z
  .enum(ISOLATIONS, { error: ISOLATION_RULE })
  .describe(
    'What isolates the code, from least to most: process (namespaces of the host, starts fastest), container, gvisor. The operator sets a minimum. Default: the operator’s.',
  )
  .optional()

/** A text; the job's schema checks it further. */
export function textArgument(description: string) {
  return z.string({ error: 'must be text' }).describe(description)
}

/** The arguments of a tool; the refusal of an unknown argument lists the known ones. */
export function argumentsSchemaOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ') || 'none'
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown argument; the arguments are ${known}`
        : 'must be an object',
  })
}

/**
 * Validates the arguments of a call.
 *
 * @throws {InvalidJobError} with one sentence per invalid argument
 */
export function parseArguments<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new InvalidJobError(describeProblems(parsed.error, given))
}

/** Renames fields of a job in a sentence to the arguments of the tool. */
export function inArgumentNames(sentence: string): string {
  return sentence.replaceAll('limits.timeoutSeconds', 'timeout')
}

/** The JSON Schema of a tool, in draft 7, which the validators of all clients support. */
export function publishedSchema(
  schema: z.ZodType,
  io: 'input' | 'output' = 'input',
): ToolDefinition['inputSchema'] {
  const { $schema: _, ...published } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io,
    override: plainInteger,
  })
  return ToolSchema.shape.inputSchema.parse(published)
}

/** Drops the bounds of JavaScript integers from a schema. */
function plainInteger({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
