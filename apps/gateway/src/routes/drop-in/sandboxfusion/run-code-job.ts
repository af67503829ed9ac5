import { z } from 'zod'
import type { UncheckedJob } from '../../../submissions.ts'
import { base64File } from '../base64.ts'
import { checkedJob } from '../field-errors.ts'
import { SANDBOXFUSION_LANGUAGES, SANDBOXFUSION_NAMES } from './languages.ts'
import { SANDBOXFUSION_FIELD_NAMES } from './refusals.ts'

const DEFAULT_SECONDS = 10
/** Maximum output per stream, as in SandboxFusion. */
export const OUTPUT_BYTES = 1024 * 1024

/** Schema of a time limit in seconds. */
export function secondsField() {
  const error = 'Input should be a number from 0.1 to 300'
  return z.number({ error }).min(0.1, { error }).max(300, { error })
}

/** Schema of a required text. */
export function textField() {
  return z.string({
    error: ({ input }) => (input === undefined ? 'Field required' : 'Input should be a valid string'),
  })
}

const memoryError = 'Input should be -1, or a whole number from 16 to 1024'

/** The body of `POST /run_code`; unknown fields are ignored. */
export const runCodeSchema = z.object({
  code: textField(),
  language: z.enum(SANDBOXFUSION_NAMES, {
    error: ({ input }) =>
      input === undefined ? 'Field required' : `Input should be one of ${SANDBOXFUSION_NAMES.join(', ')}`,
  }),
  stdin: z.string({ error: 'Input should be a valid string' }).nullish(),
  run_timeout: secondsField().default(DEFAULT_SECONDS),
  /** No effect: the language sets the limits of its compile run. */
  compile_timeout: secondsField().default(DEFAULT_SECONDS),
  memory_limit_MB: z
    .number({ error: memoryError })
    .int({ error: memoryError })
    .refine((mb) => mb === -1 || (mb >= 16 && mb <= 1024), { error: memoryError })
    .default(-1),
  /** Path → base64. */
  files: z
    .record(z.string(), z.string({ error: 'Input should be base64' }).nullable(), {
      error: 'Input should be a valid dictionary',
    })
    .default({}),
  /** Files that the program leaves; the response has those that exist. */
  fetch_files: z
    .array(z.string({ error: 'Input should be a valid string' }), { error: 'Input should be a valid list' })
    .default([]),
  /** Arguments for pytest, which the catalogue lacks. */
  args: z
    .array(z.unknown(), { error: 'Input should be a valid list' })
    .max(0, { error: 'is for pytest, which is not supported' })
    .default([]),
})

/** A request whose fields have the right types. */
export type RunCodeRequest = z.output<typeof runCodeSchema>

/**
 * The job of a request.
 *
 * @throws {RequestRefused} 422 naming the fields as SandboxFusion does
 */
export function jobOfRunCode(request: RunCodeRequest): UncheckedJob {
  const { code, stdin, memory_limit_MB: memoryMb } = request
  const files = Object.entries(request.files).flatMap(([path, content]) =>
    content === null ? [] : [[path, base64File(content)] as const],
  )
  return checkedJob(
    {
      language: SANDBOXFUSION_LANGUAGES[request.language],
      code,
      ...(stdin && { stdin }),
      ...(files.length > 0 && { files: Object.fromEntries(files) }),
      ...(request.fetch_files.length > 0 && { fetchFiles: [...new Set(request.fetch_files)] }),
      limits: {
        timeoutSeconds: request.run_timeout,
        ...(memoryMb > 0 && { memoryMb }),
        outputBytes: OUTPUT_BYTES,
      },
    },
    SANDBOXFUSION_FIELD_NAMES,
  )
}
