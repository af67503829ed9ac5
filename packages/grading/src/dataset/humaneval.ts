import type { DatasetProblem } from './problem.ts'
import type { Fields } from './record.ts'

/**
 * A problem of HumanEval, or of HumanEval+ with its larger `test`. Prompt, solution, test and the call of `check` form one
 * program, in the original order.
 */
export function readHumanEval(record: Fields): DatasetProblem {
  const prompt = record.text('prompt')
  const entryPoint = record.text('entry_point')
  if (!/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(entryPoint)) {
    throw record.fieldError('entry_point', 'must be the name of a function', entryPoint)
  }
  if (record.raw('test') === undefined && record.raw('plus_input') !== undefined) {
    throw record.fieldError(
      'test',
      'must be text; take the edition of the data set that has its tests',
      undefined,
    )
  }
  const solution = record.textOr('canonical_solution', undefined)
  return {
    id: record.name(['task_id']),
    language: 'python',
    prompt,
    reference: solution === undefined ? undefined : `${prompt}${solution}`,
    tests: [{ script: `${record.text('test')}\ncheck(${entryPoint})` }],
    limits: {},
  }
}
