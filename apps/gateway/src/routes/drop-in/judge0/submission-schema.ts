import { z } from 'zod'
import { MAXIMA } from './submission-limits.ts'

const text = z.string({ error: 'must be text' })

/** Rails accepts numbers and booleans as text too, and some clients send them as text. */
const NUMERIC = /^\s*-?\d{1,15}(\.\d{1,15})?\s*$/
const NOT_NUMERIC = { error: 'is not a number' }
const numeric = z.union([z.number(), z.string().regex(NUMERIC, NOT_NUMERIC).transform(Number)], NOT_NUMERIC)
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((given) => given === 'true')], {
  error: 'must be true or false',
})

function numberFrom(min: number, max: number) {
  return numeric.pipe(
    z
      .number()
      .min(min, { error: `must be greater than or equal to ${min}` })
      .max(max, { error: `must be less than or equal to ${max}` }),
  )
}

function wordsUpTo(max: number) {
  return text.max(max, { error: `is too long (maximum is ${max} characters)` })
}

/** An option that may be present but not true. */
function never(sentence: string) {
  return flag.refine((asked) => !asked, { error: sentence }).nullish()
}

/** Judge0's error for a missing required field. */
export const BLANK = "can't be blank"
const NOT_ENABLED = 'this option cannot be enabled'

/**
 * A submission as in Judge0: null is the default, and unknown fields are ignored. Times are seconds, sizes kB. The maxima
 * are Judge0's defaults; values below Isopod's minimum limits are refused rather than raised.
 */
export const submissionSchema = z.object({
  source_code: text.refine((code) => code.trim() !== '', { error: BLANK }).nullish(),
  language_id: numeric.pipe(z.number().int({ error: 'must be an integer' })).nullish(),
  stdin: text.nullish(),
  expected_output: text.nullish(),
  command_line_arguments: wordsUpTo(512).nullish(),
  compiler_options: wordsUpTo(512).nullish(),
  cpu_time_limit: numberFrom(0.1, MAXIMA.cpu_time_limit).nullish(),
  wall_time_limit: numberFrom(1, MAXIMA.wall_time_limit).nullish(),
  memory_limit: numberFrom(16_384, MAXIMA.memory_limit).nullish(),
  max_processes_and_or_threads: numberFrom(1, MAXIMA.max_processes_and_or_threads).nullish(),
  max_file_size: numberFrom(0, MAXIMA.max_file_size).nullish(),
  number_of_runs: numberFrom(1, MAXIMA.number_of_runs).nullish(),
  /** No effect: a program is ended as soon as it reaches its limit. */
  cpu_extra_time: numberFrom(0, MAXIMA.cpu_extra_time).nullish(),
  /** No effect: the stack counts as memory. */
  stack_limit: numberFrom(0, MAXIMA.stack_limit).nullish(),
  enable_per_process_and_thread_time_limit: never(NOT_ENABLED),
  enable_per_process_and_thread_memory_limit: never(NOT_ENABLED),
  redirect_stderr_to_stdout: never(NOT_ENABLED),
  enable_network: never('enabling network is not allowed'),
  callback_url: text.nullish(),
  /** A zip archive in base64, whatever `base64_encoded` says. */
  additional_files: text.nullish(),
})

/** A submission whose fields have the right types. */
export type Submission = z.output<typeof submissionSchema>
