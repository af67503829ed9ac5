import { type Checker, check, type Difference, regexProblem } from '@isopod/grading'
import { boundedTask } from '@isopod/threads'

/** One output to compare; without an `actual`, a regular expression to validate. */
export interface ComparisonRequest {
  readonly checker: Checker
  readonly expected: string
  readonly actual: string | undefined
}

/** The task of a comparison thread. */
export const compareOutput = boundedTask(
  ({ checker, expected, actual }: ComparisonRequest): Difference =>
    actual === undefined ? regexProblem(expected) : check(checker, expected, actual),
)
