import { type Checker, check, type Difference, regexProblem } from '@isopod/grading'
import { serve } from '@isopod/threads'

/** One output to compare; without an `actual`, a regular expression to validate. */
export interface CheckRequest {
  readonly checker: Checker
  readonly expected: string
  readonly actual: string | undefined
}

serve(
  ({ checker, expected, actual }: CheckRequest): Difference =>
    actual === undefined ? regexProblem(expected) : check(checker, expected, actual),
)
