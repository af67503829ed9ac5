import { describeProblems, InvalidJobError } from '@isopod/protocol'
import { type Tool as ToolDefinition, ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

/** The documents' bounds of a timeout, in seconds. */
const TIMEOUT = { min: 1, max: 300, default: 30 } as const
const TIMEOUT_RULE = `must be a whole number from ${TIMEOUT.min} to ${TIMEOUT.max}`

/** Seconds that a program may run. */
export const timeoutArgument = z
  .number({ error: TIMEOUT_RULE })
  .int({ error: TIMEOUT_RULE })
  .min(TIMEOUT.min, { error: TIMEOUT_RULE })
  .max(TIMEOUT.max, { error: TIMEOUT_RULE })
  .default(TIMEOUT.default)

/** Text; what it may be beyond that, the protocol's schema of a job says. */
export function textArgument(description: string) {
  return z.string({ error: 'must be text' }).describe(description)
}

/** The arguments of a tool: exactly these; an unknown one is refused with the list of those that exist. */
export function argumentsOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ') || 'none'
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown argument; the arguments are ${known}`
        : 'must be an object',
  })
}

/**
 * Reads the arguments of a call.
 *
 * @throws {InvalidJobError} with one sentence per wrong argument
 */
export function parseArguments<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new InvalidJobError(describeProblems(parsed.error, given))
}

/** A sentence about a job, for the caller of a tool: the limit has another name than the argument that asks for it. */
export function inArgumentNames(sentence: string): string {
  return sentence.replaceAll('limits.timeoutSeconds', 'timeout')
}

/** A schema as tools publish it. Draft 7 is what every client's validator knows. */
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

/** «integer» as the document says it, without the bounds of what JavaScript can count. */
function plainInteger({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
