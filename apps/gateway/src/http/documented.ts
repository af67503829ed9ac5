import { z } from 'zod'

/**
 * A body that stands in the document with its schema and reaches the handler as it came: the client validates jobs itself,
 * and names every wrong field.
 */
export function documented(schema: z.ZodType) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return z.unknown().meta(described)
}
