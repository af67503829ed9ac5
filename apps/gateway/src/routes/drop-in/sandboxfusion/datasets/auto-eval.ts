import { MAX_CODE_BYTES } from '@isopod/protocol'
import { z } from 'zod'
import { base64File } from '../../base64.ts'
import { extractCode } from '../extract-code.ts'
import { SANDBOXFUSION_NAMES } from '../languages.ts'
import { type DatasetRow, orJson, parseRow, refusedRow, type SubmitRequest } from '../submit-request.ts'
import type { Grading } from './grading.ts'

const rowSchema = z.object({
  labels: orJson(
    z.object({
      /** The tag after a fence. */
      programming_language: z.string({ error: 'Input should be a valid string' }),
      execution_language: z
        .enum(SANDBOXFUSION_NAMES, { error: `Input should be one of ${SANDBOXFUSION_NAMES.join(', ')}` })
        .nullish(),
    }),
  ),
  test: orJson(
    z.object({
      code: z.string({ error: 'Input should be a valid string' }),
      asset: orJson(z.record(z.string(), z.string())).nullish(),
    }),
  ),
})

const INSERT = '#<INSERT>'
/** Start of the main part of a program. */
const MAIN: ReadonlyMap<string, RegExp> = new Map([
  ['python', /^if\s+__name__\s*==\s*['"]__main__['"]/m],
  ['cpp', /^[ \t]*int\s+main\s*\(/m],
])
/** SandboxFusion rearranges code in these languages, which is not implemented here: correct code would fail. */
const RECOMPOSED: readonly string[] = ['java', 'go', 'go_test']

/** Grades with test code around the extracted code, or after it. */
export function gradeAutoEval(row: DatasetRow, { completion, config }: SubmitRequest): Grading {
  const { labels, test } = parseRow(rowSchema, row)
  const fenceLanguage = labels.programming_language
  const language = labels.execution_language ?? SANDBOXFUSION_NAMES.find((name) => name === fenceLanguage)
  if (language === undefined) {
    throw refusedRow(
      'labels.programming_language',
      `Input should be one of ${SANDBOXFUSION_NAMES.join(', ')}`,
    )
  }
  if (RECOMPOSED.includes(fenceLanguage) || RECOMPOSED.includes(language)) {
    throw refusedRow('labels.programming_language', `${fenceLanguage} is not supported for AutoEvalDataset`)
  }
  const { code_block_idx: index, autoeval_extract_code_mode: mode, repr_code: asLiteral } = config.extra
  const extracted = extractCode(completion, fenceLanguage, {
    index: index ?? undefined,
    mode: mode ?? undefined,
  })
  const trimmed = withoutMain(extracted.code, fenceLanguage)
  // A JSON string is also a Python string literal.
  const code = asLiteral ? JSON.stringify(trimmed) : trimmed
  const assets = Object.entries(test.asset ?? {}).map(
    ([path, content]) => [path, base64File(content)] as const,
  )
  const withFiles = assets.length > 0 && { files: Object.fromEntries(assets) }
  const common = { language, extracted }
  if (test.code.includes(INSERT)) {
    const inserts = test.code.split(INSERT).length - 1
    if (inserts * code.length > MAX_CODE_BYTES) {
      throw refusedRow('test.code', `must come to at most ${MAX_CODE_BYTES} bytes with the code inserted`)
    }
    const fullCode = test.code.replaceAll(INSERT, () => code)
    return { ...common, ...withFiles, code: fullCode, fullCode }
  }
  // Files of the test case: its script may run where no file of the job is.
  const tests = [{ script: test.code, ...withFiles }]
  return { ...common, code, tests, fullCode: `${code}\n${test.code}` }
}

/** Removes the main part of a program, which the tests provide. */
function withoutMain(code: string, language: string): string {
  const main = MAIN.get(language)
  const at = main === undefined ? -1 : code.search(main)
  return at === -1 ? code : code.slice(0, at)
}
