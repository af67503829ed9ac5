import { z } from 'zod'
import { languageName, programText } from './program.ts'
import { fields, flag, numberBetween } from './schema.ts'

/** Checkers that need nothing but a name. */
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
  /** By how much a number may be off. @default 1e-9 */
  absolute: tolerance.optional(),
  /** The same as a share of the expected number. @default 1e-9 */
  relative: tolerance.optional(),
  /** Whether words that are no numbers may be written in other cases. @default false */
  ignoreCase: flag().optional(),
})

const programSchema = fields({
  type: z.literal('program'),
  /** Name or alias in the catalogue. */
  language: languageName,
  /**
   * Runs in a container of its own, where it finds the files `input`, `expected` and `actual`. Exit code 42 accepts, 43
   * refuses, and what it prints says why; anything else is a fault of the checker, and nobody is judged. (Codes that no
   * program ends with by mistake; those of the ICPC's problem packages.)
   */
  code: programText(),
})

const RULE = `must be one of ${NAMED_CHECKERS.join(', ')}, or an object {type: "numbers", absolute, relative, ignoreCase} or {type: "program", language, code}`

/** How a test's output is compared with what was expected. */
export const checkerSchema = z.union([z.enum(NAMED_CHECKERS), numbersSchema, programSchema], {
  error: RULE,
})

/** How a test's output is compared with what was expected. */
export type CheckerChoice = z.infer<typeof checkerSchema>

/** A checker that is a program of its own. */
export type CheckerProgram = z.infer<typeof programSchema>
