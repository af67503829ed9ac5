import { z } from 'zod'

const MIB = 1024 * 1024
/** The range of a job's time limits, in milliseconds. */
const TIMEOUT_MS = { min: 100, max: 300_000 }

function required(field: string) {
  const error = `${field} is required as a string`
  return z.string({ error }).min(1, { error }).max(64, { error: 'must be at most 64 characters' })
}

function milliseconds() {
  const error = `must be a number from ${TIMEOUT_MS.min} to ${TIMEOUT_MS.max}`
  return z.number({ error }).min(TIMEOUT_MS.min, { error }).max(TIMEOUT_MS.max, { error }).nullish()
}

function bytes() {
  const error = `must be -1, or a number from ${16 * MIB} to ${1024 * MIB}`
  const number = z.number({ error })
  return number.refine((size) => size === -1 || (size >= 16 * MIB && size <= 1024 * MIB), { error }).nullish()
}

const ignored = z.number({ error: 'must be a number' }).nullish()

const MAX_FILES = 65
const filesError = `must be a list of 1 to ${MAX_FILES} files`

/** The body of `POST /api/v2/execute`; unknown fields are ignored. */
export const executeSchema = z.object({
  language: required('language'),
  version: required('version'),
  files: z
    .array(
      z.object({
        name: z
          .string({ error: 'must be text' })
          .max(255, { error: 'must be at most 255 characters' })
          .nullish(),
        content: z.string({ error: 'is required as a string' }),
        encoding: z.enum(['utf8', 'base64', 'hex'], { error: 'must be utf8, base64 or hex' }).nullish(),
      }),
      { error: 'files is required as an array' },
    )
    .min(1, { error: filesError })
    .max(MAX_FILES, { error: filesError }),
  stdin: z.string({ error: 'must be a string' }).nullish(),
  args: z
    .array(z.string({ error: 'must be a string' }), { error: 'must be an array of strings' })
    .max(64, { error: 'must be at most 64 strings' })
    .nullish(),
  run_timeout: milliseconds(),
  run_cpu_time: milliseconds(),
  run_memory_limit: bytes(),
  /** No effect, like the next two: the language sets the limits of its compile run. */
  compile_timeout: ignored,
  compile_cpu_time: ignored,
  compile_memory_limit: ignored,
})

/** A request whose fields have the right types. */
export type ExecuteRequest = z.output<typeof executeSchema>
