import { jsonProblem, regexSize } from '@isopod/grading'
import {
  exceededMaxima,
  type Job,
  type Limits,
  type LimitsRequest,
  type TestCase,
  unsupportedLanguage,
  utf8Bytes,
} from '@isopod/protocol'
import {
  type Execution,
  MAX_FILE_BYTES,
  MAX_PIPED_BYTES,
  type RunInput,
  workspaceProblems,
} from '@isopod/sandbox'
import type { HelperProgram, JudgingRules } from '../judging-rules.ts'
import { testName } from '../test-name.ts'

/** Maximum bytes of all outputs of a job for checker programs, because they stay in memory. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024

/** Maximum steps of all regular expressions of a job; compiling that many takes a fraction of a second. */
const MAX_REGEX_STEPS = 100_000

/** The test cases of a job as runs of one program. */
export interface TestCasesPlan {
  readonly kind: 'test-cases'
  readonly execution: Execution
  /** The test cases with their names. */
  readonly tests: readonly (TestCase & { readonly name: string })[]
  /** The run of each test case, without its expectation. */
  readonly runs: readonly RunInput[]
  /** Language name in the job → language and limits of checker programs and interactors in it. */
  readonly helpers: ReadonlyMap<string, HelperProgram>
  readonly stopOnFirstFailure: boolean
  readonly repeat: number
}

/**
 * Plans the runs of a job's test cases.
 *
 * @param execution the job's; its limits are the defaults of the test cases
 * @returns the plan, or one sentence for each reason why it cannot be run
 */
export function planTestCases(
  job: Job,
  tests: readonly TestCase[],
  execution: Execution,
  rules: JudgingRules,
): TestCasesPlan | { readonly problems: readonly string[] } {
  const runs = tests.map((test) => ({
    limits: limitsOfTest(execution.limits, test.limits, execution.language.timeout_factor),
    // The stdin of a test case with an interactor is the interactor's input.
    stdin: test.interactor ? undefined : (test.stdin ?? job.stdin),
    args: test.args ?? job.args,
    files: test.files,
  }))
  const problems = regexSizeProblems(tests)
  if (problems.length > 0) return { problems }
  problems.push(
    ...tests.flatMap((test, index) =>
      testProblems(test, runs[index] ?? execution, execution, rules).map(
        (problem) => `tests.${index}.${problem}`,
      ),
    ),
    ...checkedBytesProblems(tests, runs, job.repeat),
  )
  if (problems.length > 0) return { problems }
  return {
    kind: 'test-cases',
    execution,
    tests: tests.map((test, index) => ({ ...test, name: testName(test, index) })),
    runs,
    helpers: helpersOf(tests, rules),
    stopOnFirstFailure: job.stopOnFirstFailure,
    repeat: job.repeat,
  }
}

/** The job's limits, overridden by those of a test case. Its timeout is multiplied by the language's factor, like the job's. */
function limitsOfTest(limits: Limits, own: LimitsRequest = {}, factor: number): Limits {
  const given = Object.entries(own).filter(([, value]) => value !== undefined)
  const merged: Limits = { ...limits, ...Object.fromEntries(given) }
  return own.timeoutSeconds === undefined
    ? merged
    : { ...merged, timeoutSeconds: own.timeoutSeconds * factor }
}

function testProblems(
  test: TestCase,
  { limits, files }: Pick<RunInput, 'limits' | 'files'>,
  execution: Execution,
  { catalogue, maxima }: JudgingRules,
): string[] {
  // The maximum applies to the timeout before the language's factor; the job's own timeout is already checked.
  const unstretched = { ...limits, timeoutSeconds: test.limits?.timeoutSeconds ?? 0 }
  const all = { ...execution, files: { ...execution.files, ...files } }
  return [
    ...exceededMaxima(unstretched, maxima).map(({ message }) => message),
    ...(files === undefined ? [] : workspaceProblems(all)),
    ...expectationProblems(test, limits),
    ...helperProblems(test, catalogue),
    ...pipeProblems(test, limits),
    ...checkedFileProblems(test, limits),
  ]
}

function expectationProblems({ expected, checker, interactor }: TestCase, { outputBytes }: Limits): string[] {
  if (interactor !== undefined) return []
  if (expected === undefined) {
    return checker === 'trimmed' || typeof checker === 'object' ? [] : ['checker: needs expected']
  }
  // Regular expressions are validated in the threads that match them.
  if (checker === 'regex') return []
  const problem = checker === 'json' ? jsonProblem(expected) : undefined
  if (problem !== undefined) return [`expected: ${problem}`]
  const bytes = utf8Bytes(expected)
  if (bytes <= outputBytes) return []
  return [`expected: must be at most limits.outputBytes (${outputBytes}), got ${bytes} bytes`]
}

function helperProblems(test: TestCase, catalogue: JudgingRules['catalogue']): string[] {
  return Object.entries(helperPrograms(test)).flatMap(([role, program]) =>
    program === undefined || catalogue.find(program.language) !== undefined
      ? []
      : [`${role}.language: ${unsupportedLanguage(catalogue.summaries(), program.language)}`],
  )
}

/** The checker program and the interactor of a test case. */
function helperPrograms({ checker, interactor }: TestCase) {
  return {
    checker: typeof checker === 'object' && checker.type === 'program' ? checker : undefined,
    interactor,
  }
}

function helpersOf(tests: readonly TestCase[], rules: JudgingRules): TestCasesPlan['helpers'] {
  const names = tests.flatMap((test) =>
    Object.values(helperPrograms(test)).map((program) => program?.language),
  )
  const helpers = new Map<string, HelperProgram>()
  for (const name of new Set(names)) {
    const helper = name === undefined ? undefined : rules.helper(name)
    if (name !== undefined && helper !== undefined) helpers.set(name, helper)
  }
  return helpers
}

/** Language and limits of a plan's checker programs or interactors in this language. */
export function helperOf({ helpers }: TestCasesPlan, language: string): HelperProgram {
  const helper = helpers.get(language)
  if (helper === undefined) throw new Error(`the plan has no helper program for ${language}`)
  return helper
}

function pipeProblems({ interactor }: TestCase, { outputBytes }: Limits): string[] {
  if (interactor === undefined || outputBytes <= MAX_PIPED_BYTES) return []
  return [`limits.outputBytes: must be at most ${MAX_PIPED_BYTES} with an interactor, got ${outputBytes}`]
}

function checkedFileProblems(test: TestCase, { outputBytes }: Limits): string[] {
  if (helperPrograms(test).checker === undefined || outputBytes <= MAX_FILE_BYTES) return []
  return [`limits.outputBytes: must be at most ${MAX_FILE_BYTES} with a checker program, got ${outputBytes}`]
}

function regexSizeProblems(tests: readonly TestCase[]): string[] {
  const expressions = tests.flatMap(({ checker, expected = '' }) => (checker === 'regex' ? [expected] : []))
  const steps = expressions.reduce((sum, expression) => sum + regexSize(expression), 0)
  if (steps <= MAX_REGEX_STEPS) return []
  const most = `at most ${MAX_REGEX_STEPS} steps together, with counted repetitions expanded`
  return [`tests: regular expressions must have ${most}, got ${steps}`]
}

function checkedBytesProblems(
  tests: readonly TestCase[],
  runs: readonly RunInput[],
  repeat: number,
): string[] {
  const checked = runs.filter((_, index) => {
    const test = tests[index]
    return test !== undefined && helperPrograms(test).checker !== undefined
  })
  const bytes = checked.reduce((sum, { limits }) => sum + limits.outputBytes, 0) * repeat
  if (bytes <= MAX_CHECKED_BYTES) return []
  const most = `at most ${MAX_CHECKED_BYTES} together`
  return [`tests: limits.outputBytes of all runs with checker programs must be ${most}, got ${bytes}`]
}
