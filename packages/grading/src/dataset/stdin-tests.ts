import { describeProblems, jobSchema } from '@isopod/protocol'
import { pairedTests, problemLimits } from './paired-tests.ts'
import type { Problem, TestInput } from './problem.ts'
import type { Fields } from './record.ts'

/** Names that the formats in use give to a problem's name. */
export const STDIN_NAMES = ['id', 'task_id', 'problem_id', 'name'] as const

/**
 * A problem whose solutions read standard input and print: in our own format (`tests`, each as a job takes it), or with the
 * pairs of APPS (`input_output`) and CodeContests (`public_tests`, `private_tests`, `generated_tests`).
 */
export function readStdinTests(record: Fields): Problem {
  const tests = record.raw('tests') === undefined ? pairedTests(record) : ownTests(record)
  const limits = problemLimits(record)
  const language = record.textOr('language', undefined)
  const parsed = jobSchema.safeParse({ code: ' ', language, tests, limits })
  if (!parsed.success) {
    const [first] = describeProblems(parsed.error, { language, tests, limits })
    throw record.refusal(first?.message ?? 'is not valid')
  }
  return {
    id: record.name(STDIN_NAMES),
    language,
    prompt: '',
    reference: record.textOr('reference', undefined) ?? firstSolution(record),
    tests,
    limits,
  }
}

/** What of them is not as it should be, the job's schema says. */
function ownTests(record: Fields): TestInput[] {
  const tests = record.raw('tests')
  if (!Array.isArray(tests)) throw record.refuse('tests', 'must be a list of tests', tests)
  const checker = record.raw('checker')
  if (checker === undefined) return tests as TestInput[]
  return tests.map((test) =>
    typeof test === 'object' && test !== null ? { checker, ...test } : test,
  ) as TestInput[]
}

/** The first of APPS' `solutions`, a list or a text of JSON with one. */
function firstSolution(record: Fields): string | undefined {
  const solutions = record.raw('solutions') === '' ? undefined : record.parsed('solutions')
  const [first] = Array.isArray(solutions) ? solutions : []
  return typeof first === 'string' && first !== '' ? first : undefined
}
