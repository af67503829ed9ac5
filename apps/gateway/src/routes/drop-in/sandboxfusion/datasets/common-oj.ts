import { z } from 'zod'
import { refusedFields } from '../../field-errors.ts'
import { extractCode } from '../extract-code.ts'
import { type DatasetRow, orJson, parseRow, refusedRow, type SubmitRequest } from '../submit-request.ts'
import type { Grading } from './grading.ts'

const texts = z.record(z.string(), z.string({ error: 'Input should be a valid string' }), {
  error: 'Input should be a valid dictionary',
})

const rowSchema = z.object({
  labels: orJson(z.object({ problem_format: z.string().nullish() })).nullish(),
  test: orJson(
    z
      .array(z.object({ input: texts, output: texts }), { error: 'Input should be a list of tests' })
      .min(1, { error: 'Input should have at least one test' }),
  ),
})

/** Ignores case and white space; numbers may have a relative error of 1e-5. */
const CHECKER = { type: 'numbers', absolute: 1e-15, relative: 1e-5, ignoreCase: true } as const

/** Grades a program by its output for given standard input and files. */
export function gradeCommonOj(row: DatasetRow, { completion, config }: SubmitRequest): Grading {
  const { language, extra } = config
  if (!language) throw refusedFields([{ field: 'config.language', message: 'Field required' }])
  const { labels, test } = parseRow(rowSchema, row)
  if ((labels?.problem_format ?? 'Standard') !== 'Standard') {
    throw refusedRow('labels.problem_format', 'must be Standard')
  }
  const extracted = extractCode(completion, language)
  const tests = test.map(({ input: { stdin = '', ...files }, output: { stdout, ...others } }, index) => {
    if (stdout === undefined || Object.keys(others).length > 0) {
      throw refusedRow(`test[${index}].output`, 'Input should have stdout alone')
    }
    return { stdin, expected: stdout, checker: CHECKER, ...(Object.keys(files).length > 0 && { files }) }
  })
  const stopOnFirstFailure = extra.run_all_cases !== true
  return { language, extracted, code: extracted.code, tests, fullCode: null, stopOnFirstFailure }
}
