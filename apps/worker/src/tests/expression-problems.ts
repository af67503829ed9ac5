import type { TestCase } from '@isopod/protocol'
import type { JobChecks } from './output-checks.ts'

/**
 * One sentence for each test whose output cannot be matched as it is no expression. One after the other: checks of other jobs
 * come in between.
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
