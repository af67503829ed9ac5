import { z } from 'zod'

/**
 * A body that stands in the document with its schema and reaches the handler as it came: the client validates jobs itself,
 * and names every wrong field.
 */
export function documented<Schema extends z.ZodType>(
  schema: Schema,
  examples: readonly z.input<Schema>[] = [],
) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return z.unknown().meta({ ...described, ...(examples.length > 0 && { examples }) })
}
