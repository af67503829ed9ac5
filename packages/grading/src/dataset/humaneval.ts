import { isEvalPlus, readEvalPlus } from './evalplus.ts'
import type { DatasetProblem } from './problem.ts'
import type { Fields } from './record.ts'

/**
 * A problem of HumanEval, or of HumanEval+ with its larger `test` or with EvalPlus' inputs. Prompt, solution, test and the call of `check` form one
 * program, in the original order.
 */
export function readHumanEval(record: Fields): DatasetProblem {
  if (isEvalPlus(record)) return readEvalPlus(record)
  const prompt = record.text('prompt')
  const entryPoint = record.text('entry_point')
  if (!/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(entryPoint)) {
    throw record.fieldError('entry_point', 'must be the name of a function', entryPoint)
  }
  const solution = record.textOr('canonical_solution', undefined)
  return {
    id: record.name(['task_id']),
    language: 'python',
    prompt,
    reference: solution === undefined ? undefined : `${prompt}${solution}`,
    tests: [{ script: `${helpersOf(prompt, entryPoint)}${record.text('test')}\ncheck(${entryPoint})` }],
    limits: {},
  }
}

/**
 * The imports and functions that a prompt gives before the one to complete. The tests of some problems use them; those of the code
 * could be changed.
 */
function helpersOf(prompt: string, entryPoint: string): string {
  const at = prompt.lastIndexOf(`def ${entryPoint}(`)
  return at > 0 ? prompt.slice(0, at) : ''
}
