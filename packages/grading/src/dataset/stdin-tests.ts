import { describeProblems, jobSchema } from '@isopod/protocol'
import { codeContestsSolution } from './code-contests-solutions.ts'
import { pairedTests, problemLimits } from './paired-tests.ts'
import type { DatasetProblem, TestInput } from './problem.ts'
import type { Fields } from './record.ts'

/** Fields for a problem's name in the known formats. */
export const STDIN_NAMES = ['id', 'task_id', 'problem_id', 'name'] as const

/**
 * A problem whose solutions read standard input and print: in Isopod's format (`tests` as in a job), or with the pairs of APPS
 * (`input_output`) and CodeContests (`public_tests`, `private_tests`, `generated_tests`).
 */
export function readStdinTests(record: Fields): DatasetProblem {
  const isPaired = record.raw('tests') === undefined
  const given = isPaired ? pairedTests(record) : { tests: ownTests(record) }
  const { tests } = given
  const limits = problemLimits(record)
  const language = record.textOr('language', undefined) ?? ('language' in given ? given.language : undefined)
  const parsed = jobSchema.safeParse({
    code: ' ',
    language,
    tests: isPaired && tests.length === 0 ? undefined : tests,
    limits,
  })
  if (!parsed.success) {
    const [first] = describeProblems(parsed.error, { language, tests, limits })
    throw record.recordError(first?.message ?? 'is not valid')
  }
  const contest = codeContestsSolution(record)
  return {
    ...given,
    id: record.name(STDIN_NAMES),
    language,
    prompt: '',
    reference: record.textOr('reference', undefined) ?? contest?.text ?? firstSolution(record),
    ...(contest === undefined ? {} : { referenceLanguage: contest.language }),
    limits,
  }
}

/** The job's schema validates them later. */
function ownTests(record: Fields): TestInput[] {
  const tests = record.raw('tests')
  if (!Array.isArray(tests)) throw record.fieldError('tests', 'must be a list of tests', tests)
  const checker = record.raw('checker')
  if (checker === undefined) return tests as TestInput[]
  return tests.map((test) =>
    typeof test === 'object' && test !== null ? { checker, ...test } : test,
  ) as TestInput[]
}

/** The first of APPS' `solutions`, which are a list or a list as JSON text. */
function firstSolution(record: Fields): string | undefined {
  const solutions = record.raw('solutions') === '' ? undefined : record.parsed('solutions')
  const [first] = Array.isArray(solutions) ? solutions : []
  return typeof first === 'string' && first !== '' ? first : undefined
}
