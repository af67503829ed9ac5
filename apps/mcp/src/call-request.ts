import { CallToolRequestSchema, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

const paramsSchema = CallToolRequestSchema.shape.params

/**
 * The request of `tools/call`. The SDK's own schema would answer params of a wrong type with an internal error and a dump of
 * schema issues.
 *
 * @throws {McpError} invalid params, naming the field
 */
export const callRequestSchema = z.object({
  method: z.literal('tools/call'),
  params: z.unknown().transform((given) => {
    const parsed = paramsSchema.safeParse(given)
    if (parsed.success) return parsed.data
    const [field = 'params'] = parsed.error.issues[0]?.path ?? []
    throw new McpError(ErrorCode.InvalidParams, `${String(field)}: ${RULES[String(field)] ?? 'is not valid'}`)
  }),
})

const RULES: Readonly<Record<string, string>> = {
  params: 'must be an object',
  name: 'must be the name of a tool',
  arguments: 'must be an object',
  _meta: 'must be an object',
}
