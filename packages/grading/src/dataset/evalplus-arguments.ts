import {
  type PythonWriter,
  pythonDictOf,
  pythonListOf,
  pythonLiteral,
  pythonText,
  pythonTupleOf,
} from './python-literal.ts'

const tuple = pythonTupleOf(pythonLiteral)
const deepTuple: PythonWriter = (value) => pythonTupleOf(deepTuple)(value)
const complex = (value: unknown) => `complex(${pythonText(String(value))})`
const float = (value: unknown) => `float(${pythonText(String(value))})`
/** An empty list stands for an empty dict. */
const set: PythonWriter = (value) =>
  Array.isArray(value) && value.length > 0 ? `{${value.map(pythonLiteral).join(', ')}}` : '{}'

/**
 * Arguments of MBPP+ that JSON cannot say: tuples, sets, complex numbers. Numbers of problems, then how their first argument is
 * written, and how their others are.
 *
 * @see https://github.com/evalplus/evalplus, evalplus/data/mbpp.py
 */
const MBPP_ARGUMENTS: readonly (readonly [string, PythonWriter, PythonWriter])[] = [
  ['2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809', tuple, tuple],
  ['63 64 70 94 120 237 272 299 400 409 417 438 473 614 780', pythonListOf(tuple), pythonListOf(tuple)],
  ['75 413 444 753', pythonListOf(tuple), pythonLiteral],
  ['106 750', pythonLiteral, tuple],
  ['115', pythonListOf(set), pythonLiteral],
  ['124', float, complex],
  ['250 307 405 446 617 720 763 808', tuple, pythonLiteral],
  ['252', complex, pythonLiteral],
  ['259 278 401 445', pythonTupleOf(tuple), pythonTupleOf(tuple)],
  ['580 615 791', deepTuple, deepTuple],
  ['722', pythonDictOf(tuple), pythonLiteral],
]

const BY_TASK: ReadonlyMap<string, { readonly first: PythonWriter; readonly others: PythonWriter }> = new Map(
  MBPP_ARGUMENTS.flatMap(([numbers, first, others]) =>
    numbers.split(' ').map((number) => [`Mbpp/${number}`, { first, others }] as const),
  ),
)

/** The arguments of one call as Python expressions. */
export function evalPlusArguments(task: string, values: readonly unknown[]): string[] {
  const { first = pythonLiteral, others = pythonLiteral } = BY_TASK.get(task) ?? {}
  return values.map((value, at) => (at === 0 ? first : others)(value))
}
