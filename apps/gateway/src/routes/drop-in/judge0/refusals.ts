import type { Refusal } from '../../../http/problem.ts'
import { type FieldNames, fieldErrorsOf } from '../field-errors.ts'

/** Fields of a job → attributes of a submission. */
export const JUDGE0_FIELD_NAMES: FieldNames = {
  code: 'source_code',
  language: 'language_id',
  files: 'additional_files',
  args: 'command_line_arguments',
  compileArgs: 'compiler_options',
  callbackUrl: 'callback_url',
  tests: 'expected_output',
  'limits.cpuSeconds': 'cpu_time_limit',
  'limits.timeoutSeconds': 'wall_time_limit',
  'limits.memoryMb': 'memory_limit',
  'limits.processes': 'max_processes_and_or_threads',
  'limits.outputBytes': 'max_file_size',
}

/** Field → what is wrong with it, one sentence each. */
export type Judge0Errors = Readonly<Record<string, readonly string[]>>

/** A refusal in Judge0's form: 422 with the fields, or `error` with one sentence. */
export function judge0Refusal(refusal: Refusal): { status: number; body: Judge0Errors | { error: string } } {
  const { status, code, detail } = refusal
  if (status === 422 || code === 'invalid_job') return { status: 422, body: judge0Errors(refusal) }
  return { status, body: { error: code === 'queue_full' ? 'queue is full' : detail } }
}

/** The refused fields of one submission. */
export function judge0Errors(refusal: Refusal): Judge0Errors {
  const errors = fieldErrorsOf(refusal, JUDGE0_FIELD_NAMES)
  const byField = Map.groupBy(errors, ({ field }) => field)
  return Object.fromEntries([...byField].map(([field, all]) => [field, all.map(({ message }) => message)]))
}
