import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Refusal, RequestRefused } from '../../src/http/problem.ts'
import { parseFields } from '../../src/routes/drop-in/field-errors.ts'
import { judge0Refusal } from '../../src/routes/drop-in/judge0/refusals.ts'
import { jobOfSubmission } from '../../src/routes/drop-in/judge0/submission-job.ts'
import { submissionSchema } from '../../src/routes/drop-in/judge0/submission-schema.ts'
import { jobOfExecute } from '../../src/routes/drop-in/piston/execute-job.ts'
import { executeSchema } from '../../src/routes/drop-in/piston/execute-schema.ts'
import { pistonRefusal } from '../../src/routes/drop-in/piston/refusals.ts'
import { sandboxFusionRefusal } from '../../src/routes/drop-in/sandboxfusion/refusals.ts'
import { jobOfRunCode, runCodeSchema } from '../../src/routes/drop-in/sandboxfusion/run-code-job.ts'

const context = { base64: false, offered: undefined, callbackRule: () => undefined, createdAt: new Date(0) }

const SERVICES = {
  judge0: {
    fields: Object.keys(submissionSchema.shape),
    small: { source_code: 'x', language_id: 71 },
    read: async (body: unknown, base64: boolean): Promise<unknown> =>
      jobOfSubmission(body, { ...context, base64 }),
    refusal: judge0Refusal,
  },
  piston: {
    fields: Object.keys(executeSchema.shape),
    small: { language: 'py', version: '*', files: [{ content: 'x' }] },
    read: async (body: unknown): Promise<unknown> => jobOfExecute(parseFields(executeSchema, body), 'python'),
    refusal: pistonRefusal,
  },
  sandboxfusion: {
    fields: Object.keys(runCodeSchema.shape),
    small: { code: 'x', language: 'python' },
    read: async (body: unknown): Promise<unknown> => jobOfRunCode(parseFields(runCodeSchema, body)),
    refusal: sandboxFusionRefusal,
  },
}

/** Values for one field, including property names with a meaning in JavaScript. */
const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('__proto__', '\0', '../x', '1e9', '-1', 'true', '"', ' ', 'UEsFBg==', 1e308, -0),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'a/../b', 'a', '.isopod/x'), fc.string()),
  fc.array(fc.record({ content: fc.jsonValue(), name: fc.string(), encoding: fc.string() })),
)

describe.each(Object.entries(SERVICES))('%s', (_, { fields, small, read, refusal }) => {
  it('turns any request into a job or into a refusal in the service’s own format', async () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc
        .dictionary(fc.constantFrom(...fields, '__proto__', 'tests', 'labels'), hostile)
        .map((given) => ({ ...small, ...given })),
    )
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (given, base64) => {
        const outcome = await read(given, base64).catch((error: unknown) => error)
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(RequestRefused)
          const { status, body: answer } = refusal(outcome as Refusal & Error)
          expect([400, 422]).toContain(status)
          expect(JSON.stringify(answer).length).toBeLessThan(100_000)
        } else expect(outcome).toHaveProperty('code')
      }),
      { numRuns: 500 },
    )
  })
})
