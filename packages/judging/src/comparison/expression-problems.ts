import type { TestCase } from '@isopod/protocol'
import type { JobChecks } from './output-checks.ts'

/**
 * Finds the regular expressions of a job's test cases that cannot be used: one sentence for each. They are checked one after
 * the other, so that the checks of other jobs get their turn.
 *
 * @throws the signal's reason once aborted, and what {@link JobChecks.expressionProblem} throws
 */
export async function expressionProblems(
  tests: readonly TestCase[],
  checks: Pick<JobChecks, 'expressionProblem'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [index, { checker, expected }] of tests.entries()) {
    if (checker !== 'regex' || expected === undefined) continue
    const problem = await checks.expressionProblem(expected)
    signal.throwIfAborted()
    if (problem !== undefined) problems.push(`tests.${index}.expected: ${problem}`)
  }
  return problems
}
