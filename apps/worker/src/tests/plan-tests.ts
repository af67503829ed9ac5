import { jsonProblem, regexSize } from '@isopod/grading'
import type { Catalogue } from '@isopod/languages'
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
  MOST_FILE_BYTES,
  MOST_PIPED_BYTES,
  type RunInput,
  workspaceProblems,
} from '@isopod/sandbox'
import type { DeploymentRules } from '../plan-execution.ts'

/** Output that checker programs may be given, in bytes of all tests of a job together: it waits in this process. */
const MOST_CHECKED_BYTES = 64 * 1024 * 1024

/** Of all regular expressions of a job together: compiling them is a matter of a fraction of a second then. */
const MOST_REGEX_STEPS = 100_000

/** What a test is called where it has no name of its own: its number, from 1. */
export function testName({ name }: TestCase, index: number): string {
  return name ?? String(index + 1)
}

/**
 * Turns the tests of a job into runs of its execution. What they expect is no part of these.
 *
 * @param execution the job's, without runs; its limits are those of a test that has none
 * @returns the runs, or one sentence per test that cannot be run
 */
export function planTests(
  job: Job,
  tests: readonly TestCase[],
  execution: Execution,
  { catalogue, maxima }: Pick<DeploymentRules, 'catalogue' | 'maxima'>,
): { readonly runs: readonly RunInput[]; readonly problems: readonly string[] } {
  const runs = tests.map((test) => ({
    limits: withTheirs(execution.limits, test.limits, execution.language.timeout_factor),
    // What an interactor is given is none of the program's.
    stdin: test.interactor ? undefined : (test.stdin ?? job.stdin),
    args: test.args ?? job.args,
    files: test.files,
  }))
  const tooLarge = regexSizeProblems(tests)
  if (tooLarge.length > 0) return { runs, problems: tooLarge }
  const problems = tests.flatMap((test, index) => {
    const { limits, files } = runs[index] ?? execution
    const all = { ...execution, files: { ...execution.files, ...files } }
    const own = [
      ...exceededMaxima({ ...limits, timeoutSeconds: test.limits?.timeoutSeconds ?? 0 }, maxima).map(
        ({ message }) => message,
      ),
      ...(files === undefined ? [] : workspaceProblems(all)),
      ...expectationProblems(test, limits),
      ...programProblems(test, catalogue),
      ...pipeProblems(test, limits),
      ...fileProblems(test, limits),
    ]
    return own.map((problem) => `tests.${index}.${problem}`)
  })
  return { runs, problems: [...problems, ...checkedProblems(tests, runs, job.repeat)] }
}

/** A test's own limits over the job's, times the language's factor as the job's were. */
function withTheirs(limits: Limits, own: LimitsRequest = {}, factor: number): Limits {
  const given = Object.entries(own).filter(([, value]) => value !== undefined)
  const theirs: Limits = { ...limits, ...Object.fromEntries(given) }
  return own.timeoutSeconds === undefined
    ? theirs
    : { ...theirs, timeoutSeconds: own.timeoutSeconds * factor }
}

function expectationProblems({ expected, checker, interactor }: TestCase, { outputBytes }: Limits): string[] {
  if (interactor !== undefined) return []
  if (expected === undefined) {
    return checker === 'trimmed' || typeof checker === 'object' ? [] : ['checker: needs expected']
  }
  // That it is an expression is seen where expressions are matched.
  if (checker === 'regex') return []
  // What nobody could print is the test's mistake, not the program's.
  const problem = checker === 'json' ? jsonProblem(expected) : undefined
  if (problem !== undefined) return [`expected: ${problem}`]
  const bytes = utf8Bytes(expected)
  if (bytes <= outputBytes) return []
  return [`expected: has ${bytes} bytes, and limits.outputBytes lets the program print ${outputBytes}`]
}

function programProblems({ checker, interactor }: TestCase, catalogue: Catalogue): string[] {
  const program = typeof checker === 'object' && checker.type === 'program' ? checker : undefined
  const unknown = ({ language }: { language: string }) =>
    catalogue.find(language) === undefined ? [unsupportedLanguage(catalogue.summaries(), language)] : []
  return [
    ...(program ? unknown(program).map((problem) => `checker.language: ${problem}`) : []),
    ...(interactor ? unknown(interactor).map((problem) => `interactor.language: ${problem}`) : []),
  ]
}

function pipeProblems({ interactor }: TestCase, { outputBytes }: Limits): string[] {
  if (interactor === undefined || outputBytes <= MOST_PIPED_BYTES) return []
  return [`limits.outputBytes: must be at most ${MOST_PIPED_BYTES} with an interactor, got ${outputBytes}`]
}

function fileProblems({ checker }: TestCase, { outputBytes }: Limits): string[] {
  const isProgram = typeof checker === 'object' && checker.type === 'program'
  if (!isProgram || outputBytes <= MOST_FILE_BYTES) return []
  return [
    `limits.outputBytes: must be at most ${MOST_FILE_BYTES} where a checker is a program, got ${outputBytes}`,
  ]
}

function regexSizeProblems(tests: readonly TestCase[]): string[] {
  const expressions = tests.flatMap(({ checker, expected = '' }) => (checker === 'regex' ? [expected] : []))
  const steps = expressions.reduce((sum, expression) => sum + regexSize(expression), 0)
  if (steps <= MOST_REGEX_STEPS) return []
  const most = `at most ${MOST_REGEX_STEPS} steps together, with counted repetitions written out`
  return [`tests: regular expressions must have ${most}, got ${steps}`]
}

function checkedProblems(tests: readonly TestCase[], runs: readonly RunInput[], repeat: number): string[] {
  const once = tests.reduce(
    (sum, { checker }, index) =>
      typeof checker === 'object' && checker.type === 'program'
        ? sum + (runs[index]?.limits.outputBytes ?? 0)
        : sum,
    0,
  )
  const bytes = once * repeat
  if (bytes <= MOST_CHECKED_BYTES) return []
  const most = `at most ${MOST_CHECKED_BYTES} together where a checker is a program`
  return [`tests: limits.outputBytes of all runs must be ${most}, got ${bytes}`]
}
