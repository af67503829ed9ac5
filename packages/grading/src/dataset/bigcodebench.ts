import type { DatasetProblem } from './problem.ts'
import type { Fields } from './record.ts'

/** Runs the class that every problem's `test` defines. */
const RUN = `
import unittest
_outcome = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(TestCases).run(_outcome)
_failed = [*_outcome.failures, *_outcome.errors]
assert _outcome.testsRun > 0 and not _failed, _failed[0][1] if _failed else "no test ran"
`

/**
 * A problem of BigCodeBench. Completions continue `complete_prompt`; solutions for `instruct_prompt` are whole programs. Its tests
 * replace functions that the code calls, and look at files that it writes.
 */
export function readBigCodeBench(record: Fields): DatasetProblem {
  const prompt = record.text('complete_prompt')
  const test = record.text('test')
  if (!/^class TestCases\b/m.test(test)) {
    throw record.fieldError('test', 'must define the class TestCases', test)
  }
  const solution = record.textOr('canonical_solution', undefined)
  return {
    id: record.name(['task_id']),
    language: 'python',
    prompt,
    reference: solution === undefined ? undefined : `${prompt}${solution}`,
    tests: [{ script: `${test}\n${RUN}` }],
    separation: 'none',
    limits: {},
  }
}
