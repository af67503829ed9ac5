import { evalPlusArguments } from './evalplus-arguments.ts'
import { oracleOf } from './evalplus-oracles.ts'
import { numberText } from './lossless-json.ts'
import type { DatasetProblem, TestInput } from './problem.ts'
import { pythonLiteral, pythonTuple } from './python-literal.ts'
import type { Fields } from './record.ts'

/** Maximum size of the arguments of one test, in characters; a longer list is split. */
const MAX_ARGUMENTS = 128 * 1024
const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** Whether a record is one of EvalPlus' own files, which have inputs instead of tests. */
export function isEvalPlus(record: Fields): boolean {
  return record.raw('test') === undefined && record.raw('base_input') !== undefined
}

/**
 * A problem of HumanEvalPlus.jsonl or MbppPlus.jsonl. The scripts compare results for `base_input` and `plus_input` with those of
 * `canonical_solution`. `contract` is not used: the inputs of the files fulfil it.
 */
export function readEvalPlus(record: Fields): DatasetProblem {
  const task = record.name(['task_id'])
  const entryPoint = record.text('entry_point')
  if (!NAME.test(entryPoint)) {
    throw record.fieldError('entry_point', 'must be the name of a function', entryPoint)
  }
  const prompt = record.text('prompt')
  const reference = `${prompt}${record.text('canonical_solution')}`
  const atol = numberText(record.raw('atol') ?? 0)
  if (atol === undefined) throw record.fieldError('atol', 'must be a number', record.raw('atol'))
  const compare = comparison(task.startsWith('Mbpp/'), entryPoint, atol)
  const frame = (calls: readonly string[]) =>
    `${referenceFunction(reference, entryPoint)}\n${compare(calls.join(''))}`
  const tests = (field: string, name: string): TestInput[] =>
    batches(argumentLists(record, task, field)).map((calls, at) => ({
      name: at === 0 ? name : `${name} ${at + 1}`,
      script: frame(calls),
    }))
  const base = tests('base_input', 'base')
  if (base.length === 0) {
    throw record.fieldError('base_input', 'must be a list of at least one input', record.raw('base_input'))
  }
  return {
    id: task,
    language: 'python',
    prompt,
    reference,
    tests: [...base, ...tests('plus_input', 'plus')],
    baseTests: base.length,
    limits: {},
  }
}

/** Each input as a line of a tuple of functions that make its arguments anew, because code may change them. */
function argumentLists(record: Fields, task: string, field: string): string[] {
  // Published as {} where there are none.
  const inputs = record.raw(field) ?? []
  if (!Array.isArray(inputs)) {
    if (typeof inputs === 'object' && Object.keys(inputs).length === 0) return []
    throw record.fieldError(field, 'must be a list of inputs', inputs)
  }
  return inputs.map((input: unknown, at) => {
    if (!Array.isArray(input))
      throw record.fieldError(`${field}[${at}]`, 'must be a list of arguments', input)
    return `    lambda: ${pythonTuple(evalPlusArguments(task, input))},\n`
  })
}

function batches(calls: readonly string[]): string[][] {
  const made: string[][] = []
  let size = 0
  for (const call of calls) {
    const last = made.at(-1)
    if (last === undefined || size + call.length > MAX_ARGUMENTS) {
      made.push([call])
      size = 0
    } else last.push(call)
    size += call.length
  }
  return made
}

/** Defines `_reference`. In a function of its own, so that the solution cannot replace what the code defines. */
function referenceFunction(solution: string, entryPoint: string): string {
  const lines = solution.split('\n').filter((line) => !/^from __future__ /.test(line))
  // Python allows them only outside of functions.
  const stars = lines.filter((line) => STAR.test(line))
  const body = lines.filter((line) => !STAR.test(line)).map((line) => `    ${line}\n`)
  return [
    ...stars.map((line) => `${line}\n`),
    'def _reference():\n',
    ...body,
    `    return ${entryPoint}\n\n\n_reference = _reference()\n`,
  ].join('')
}

const STAR = /^from \S+ import \*/

/** EvalPlus' comparison: equality, or floats within a tolerance, which holds from the first float on. */
function comparison(isMbpp: boolean, entryPoint: string, atol: string): (calls: string) => string {
  const { expected, equal = '_actual == _expected', or, only } = oracleOf(isMbpp, entryPoint)
  return (calls) => `${CLOSE}
_tolerance = ${pythonLiteral(Number(atol))}
for _arguments in (
${calls}):
    _actual = ${entryPoint}(*_arguments())
    _expected = _reference(*_arguments())
${expected === undefined ? '' : `    _expected = ${expected}\n`}\
${
  only === undefined
    ? `    _held = ${equal}${or === undefined ? '' : ` or ${or}`}
    if _tolerance == 0 and _floats(_expected):
        _tolerance = 1e-6
    if not _held and _tolerance != 0:
        _held = type(_actual) is type(_expected) and _close(_actual, _expected, _tolerance)`
    : `    _held = ${only}`
}
    assert _held, f"${entryPoint}(*{_arguments()!r:.200}) is wrong"
`
}

const CLOSE = `
def _floats(value):
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(isinstance(each, float) for each in value)
    return isinstance(value, float)


def _close(actual, expected, tolerance):
    if isinstance(expected, (list, tuple)):
        if not isinstance(actual, (list, tuple)) or len(actual) != len(expected):
            return False
        return all(_close(one, other, tolerance) for one, other in zip(actual, expected))
    if actual == expected or actual != actual and expected != expected:
        return True
    if not isinstance(actual, (int, float, complex)) or not isinstance(expected, (int, float, complex)):
        return False
    return abs(actual - expected) <= tolerance + 1e-07 * abs(expected) < float("inf")

`
