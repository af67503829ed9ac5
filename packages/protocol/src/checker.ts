import { z } from 'zod'
import { languageName, programText } from './program.ts'
import { fields, flag, numberBetween } from './schema.ts'

/** Checkers without options. */
export const NAMED_CHECKERS = [
  'exact',
  'trimmed',
  'tokens',
  'numbers',
  'lines',
  'sorted',
  'regex',
  'json',
] as const

const tolerance = numberBetween(0, 1e300)

const numbersSchema = fields({
  type: z.literal('numbers'),
  /** Maximum absolute error of a number. @default 1e-9 */
  absolute: tolerance.optional(),
  /** Maximum relative error of a number. @default 1e-9 */
  relative: tolerance.optional(),
  /** Whether words other than numbers are compared without case. @default false */
  ignoreCase: flag().optional(),
})

const programSchema = fields({
  type: z.literal('program'),
  /** Name or alias in the catalogue. */
  language: languageName,
  /**
   * Runs in its own container with the files `input`, `expected` and `actual`. Exit code 42 accepts and 43 rejects, with
   * the reason on its output. Any other end is a failure of the checker, and twice the verdict `judge_error`. The codes
   * are those of the ICPC's problem packages; no program exits with them by accident.
   */
  code: programText(),
})

const RULE = `must be one of ${NAMED_CHECKERS.join(', ')}, or an object {type: "numbers", absolute, relative, ignoreCase} or {type: "program", language, code}`

/** Schema of {@link CheckerChoice}. */
export const checkerSchema = z.union([z.enum(NAMED_CHECKERS), numbersSchema, programSchema], {
  error: RULE,
})

/** How the output of a test case is compared with the expected output. */
export type CheckerChoice = z.infer<typeof checkerSchema>

/** A checker that is itself a program. */
export type CheckerProgram = z.infer<typeof programSchema>
