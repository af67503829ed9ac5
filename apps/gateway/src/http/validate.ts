import { describeProblems } from '@isopod/protocol'
import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { invalidRequest } from './problem.ts'

/**
 * Validates a part of a request. The error has one sentence per refused field: its name, what is allowed, what was given.
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart = 'request' }) =>
  (given: unknown) => {
    const parsed = schema.safeParse(given)
    if (parsed.success) return { value: parsed.data }
    return { error: invalidRequest(describeProblems(parsed.error, given, httpPart)) }
  }
