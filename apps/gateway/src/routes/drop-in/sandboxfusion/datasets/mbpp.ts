import { z } from 'zod'
import { extractCode } from '../extract-code.ts'
import { type DatasetRow, orJson, parseRow, type SubmitRequest } from '../submit-request.ts'
import type { Grading } from './grading.ts'

const texts = z.array(z.string({ error: 'Input should be a valid string' }), {
  error: 'Input should be a list of asserts',
})

/** A row in SandboxFusion's form, or in that of the published MBPP. */
const rowSchema = z
  .object({
    test: orJson(texts).optional(),
    test_list: texts.optional(),
    labels: orJson(z.object({ test_setup_code: z.string().nullish() })).nullish(),
    test_setup_code: z.string().nullish(),
  })
  .refine(({ test, test_list: list }) => (test ?? list ?? []).length > 0, {
    error: 'Input should have at least one assert',
    path: ['test'],
  })

/** Grades with the extracted code, then the set-up code, then the asserts. */
export function gradeMbpp(row: DatasetRow, { completion }: SubmitRequest): Grading {
  const { test, test_list: list, labels, test_setup_code: ownSetUp } = parseRow(rowSchema, row)
  const extracted = extractCode(completion, 'python')
  const setUp = labels?.test_setup_code ?? ownSetUp ?? ''
  const script = [setUp, ...(test ?? list ?? [])].join('\n')
  const fullCode = `${extracted.code}\n${script}`
  return { language: 'python', extracted, code: extracted.code, tests: [{ script }], fullCode }
}
