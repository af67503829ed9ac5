import type { CheckerChoice } from '@isopod/protocol'
import { callTests, jsonValue } from './call-tests.ts'
import { fittingTests } from './fitting-tests.ts'
import type { DatasetProblem, TestInput } from './problem.ts'
import { COMPETITION_IMPORTS } from './python-imports.ts'
import { anyFieldOf, Fields } from './record.ts'

const LISTS = ['public_tests', 'private_tests', 'generated_tests'] as const
/**
 * Accepted differences in APPS: white space and the last digits of numbers. Its own grader also accepts lines and words in
 * another order, and 100,001 for 100,000.
 */
const APPS: CheckerChoice = { type: 'numbers', absolute: 1e-5 }
/** Differences that CodeContests' own grader accepts. */
const CODE_CONTESTS: CheckerChoice = { type: 'numbers', absolute: 1e-5, relative: 0, ignoreCase: true }

/**
 * The tests of APPS and CodeContests: a list of inputs and a list of outputs, or calls of a function. The list is empty if the
 * data set publishes no tests of the problem. A record's `checker` overrides the default of its data set.
 */
export function pairedTests(
  record: Fields,
): Pick<DatasetProblem, 'tests' | 'leftOut' | 'header' | 'language'> {
  if (record.raw('input_output') === '') return { language: undefined, tests: [] }
  const apps = record.object('input_output')
  const name = apps?.textOr('fn_name', undefined)
  if (apps !== undefined && name !== undefined) {
    const tests = functionTests(record, name)
    return { language: 'python', header: COMPETITION_IMPORTS, ...fittingTests(record, tests) }
  }
  const own = record.raw('checker') as CheckerChoice | undefined
  const tests = [
    ...(apps === undefined ? [] : pairs(apps, ['inputs', 'outputs'], own ?? APPS)),
    ...LISTS.flatMap((name) => {
      const list = record.object(name)
      return list === undefined ? [] : pairs(list, ['input', 'output'], own ?? CODE_CONTESTS)
    }),
  ]
  const isPaired = apps !== undefined || LISTS.some((name) => record.raw(name) !== undefined)
  if (isPaired) return { language: undefined, ...fittingTests(record, tests) }
  throw record.recordError(`must have ${anyFieldOf(['tests', 'input_output', ...LISTS])}`)
}

/** The tests of an APPS problem whose solutions define a function: a list of lists of arguments, and a list of results. */
function functionTests(record: Fields, name: string): TestInput[] {
  const text = record.raw('input_output')
  const value = typeof text === 'string' ? jsonValue(record, 'input_output', text) : text
  const fields = new Fields(value, record.place, 'input_output')
  const inputs = list(fields, 'inputs')
  const outputs = list(fields, 'outputs')
  if (inputs.length !== outputs.length) {
    throw fields.fieldError('outputs', `must have as many entries as inputs, ${inputs.length}`, outputs)
  }
  const calls = inputs.map((args, at) => {
    if (!Array.isArray(args)) throw fields.fieldError(`inputs[${at}]`, 'must be a list of arguments', args)
    const result = outputs[at]
    // Most results are published in a list of their own.
    return { args, results: Array.isArray(result) && result.length > 0 ? [result[0], result] : [result] }
  })
  return callTests(fields, name, calls)
}

function list(record: Fields, name: string): unknown[] {
  const value = record.raw(name)
  if (Array.isArray(value)) return value
  throw record.fieldError(name, 'must be a list', value)
}

function pairs(
  record: Fields,
  [inputs, outputs]: readonly [string, string],
  checker: CheckerChoice,
): TestInput[] {
  const given = texts(record, inputs)
  const expected = texts(record, outputs)
  if (given.length !== expected.length) {
    throw record.fieldError(outputs, `must have as many entries as ${inputs}, ${given.length}`, expected)
  }
  return given.map((stdin, at) => ({ stdin, expected: expected[at] ?? '', checker }))
}

/** The texts of a list. An entry is a text, or the list of its lines. */
function texts(record: Fields, name: string): string[] {
  return list(record, name).map((entry: unknown, at) => {
    if (typeof entry === 'string') return entry
    if (Array.isArray(entry) && entry.every((line) => typeof line === 'string')) return entry.join('\n')
    throw record.fieldError(`${name}[${at}]`, 'must be text or a list of lines', entry)
  })
}

const MIN_MIB = 16
const MAX_MIB = 1024
const MIN_SECONDS = 0.1
const MAX_SECONDS = 300

/** Isopod's `limits`, or CodeContests' `time_limit` and `memory_limit_bytes`, clamped to the supported range. */
export function problemLimits(record: Fields): DatasetProblem['limits'] {
  const own = record.object('limits')
  // The job's schema validates it.
  if (own !== undefined) return record.raw('limits') as DatasetProblem['limits']
  const time = record.object('time_limit')
  const seconds = number(time?.raw('seconds')) + number(time?.raw('nanos')) / 1e9
  const mib = Math.ceil(number(record.raw('memory_limit_bytes')) / 1024 / 1024)
  return {
    ...(seconds > 0 ? { timeoutSeconds: within(seconds, MIN_SECONDS, MAX_SECONDS) } : {}),
    ...(mib > 0 ? { memoryMb: within(mib, MIN_MIB, MAX_MIB) } : {}),
  }
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

function within(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}
