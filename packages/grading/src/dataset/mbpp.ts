import { isEvalPlus, readEvalPlus } from './evalplus.ts'
import type { DatasetProblem } from './problem.ts'
import type { Fields } from './record.ts'

/**
 * A problem of MBPP, full or sanitized, or of MBPP+ (whose `test`, or EvalPlus' inputs, replace the lists). Imports, set-up and asserts follow the
 * solution in one program, because set-up code uses its definitions.
 */
export function readMbpp(record: Fields): DatasetProblem {
  if (isEvalPlus(record)) {
    const problem = readEvalPlus(record)
    return { ...problem, id: mbppName(problem.id) }
  }
  const whole = record.textOr('test', undefined)
  const asserts = [...record.texts('test_list'), ...record.texts('challenge_test_list')]
  // HumanEval's `test` defines a function that nothing here calls.
  if (asserts.length === 0 && (whole === undefined || record.raw('entry_point') !== undefined)) {
    throw record.fieldError('test_list', 'must be a list of at least one assert', record.raw('test_list'))
  }
  const setUp = [...imports(record), record.textOr('test_setup_code', '')]
  return {
    id: mbppName(record.name(['task_id'])),
    language: 'python',
    prompt: '',
    reference: record.textOr('code', undefined) ?? record.textOr('canonical_solution', undefined),
    tests: [{ script: [...setUp, ...(whole === undefined ? asserts : [whole])].join('\n').trimStart() }],
    limits: {},
  }
}

/** EvalPlus names problem 2 `Mbpp/2`. */
export function mbppName(name: string): string {
  return name.replace(/^mbpp\//i, '')
}

/** A list, or a list as Python or JSON text, as some publish it. */
function imports(record: Fields): string[] {
  if (typeof record.raw('test_imports') !== 'string') return record.texts('test_imports')
  const text = record.text('test_imports').trim()
  const quoted = [...text.matchAll(/'([^'\\]*)'|"([^"\\]*)"/g)].map(([, one, other]) => one ?? other ?? '')
  if (/^\[\s*(('[^'\\]*'|"[^"\\]*")\s*(?:,\s*)?)*\]$/.test(text)) return quoted
  return [text]
}
