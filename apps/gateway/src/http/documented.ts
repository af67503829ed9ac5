import { z } from 'zod'

/**
 * A body schema for the OpenAPI document that validates nothing: the client validates jobs itself and names every wrong
 * field.
 */
export function documented<Schema extends z.ZodType>(
  schema: Schema,
  examples: readonly z.input<Schema>[] = [],
) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return z.unknown().meta({ ...described, ...(examples.length > 0 && { examples }) })
}
