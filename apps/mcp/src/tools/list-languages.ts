import { UnavailableError } from '@isopod/protocol'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { answer } from './answer.ts'
import { argumentsSchemaOf, parseArguments, publishedSchema } from './arguments.ts'
import type { Tool } from './tool.ts'

const input = argumentsSchemaOf({})

const output = z.strictObject({
  languages: z.array(
    z.strictObject({
      name: z.string(),
      version: z.string(),
      aliases: z.array(z.string()),
      available: z
        .boolean()
        .describe('False if the worker that reported last lacks the image of this language.'),
    }),
  ),
})

/** `list_languages`: the languages that workers offer. */
export function listLanguagesTool(): Tool {
  return {
    definition: {
      name: 'list_languages',
      title: 'List languages',
      description:
        'Lists the languages that execute_code and grade_code take: name, version and aliases. "name@version" asks for a version.',
      inputSchema: publishedSchema(input),
      outputSchema: publishedSchema(output, 'output'),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },

    async call(given, { client }) {
      parseArguments(input, given)
      const languages = await (await client()).languages()
      if (languages === undefined) {
        throw new UnavailableError('No worker has used this Redis yet, so no languages are known')
      }
      const listed = languages.map(({ name, version, aliases, missingImage }) => ({
        name,
        version,
        aliases: [...aliases],
        available: missingImage === undefined,
      }))
      return answer({ languages: listed } satisfies z.infer<typeof output>, false)
    },

    failed: (sentence): CallToolResult => ({ content: [{ type: 'text', text: sentence }], isError: true }),
  }
}
