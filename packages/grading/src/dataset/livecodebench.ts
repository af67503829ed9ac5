import { inflateSync } from 'node:zlib'
import type { CheckerChoice } from '@isopod/protocol'
import { callTests, jsonValue } from './call-tests.ts'
import { fittingTests } from './fitting-tests.ts'
import { pickledText } from './pickled-text.ts'
import type { DatasetProblem, TestInput } from './problem.ts'

import { COMPETITION_IMPORTS } from './python-imports.ts'
import { Fields } from './record.ts'

/** Maximum size of the unpacked private tests of a problem, in bytes. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
/** Numbers are compared by value, and so is the number of words; LiveCodeBench compares each line. */
const CHECKER: CheckerChoice = { type: 'numbers', absolute: 0, relative: 0 }

interface LiveTest {
  readonly input: string
  readonly output: string
  readonly field: string
}

/**
 * A problem of LiveCodeBench's code generation: tests that read standard input, or call the function that
 * `metadata.func_name` names with one JSON value per line.
 */
export function readLiveCodeBench(record: Fields): DatasetProblem {
  const tests = [
    ...liveTests(record, 'public_test_cases', record.parsed('public_test_cases')),
    ...liveTests(record, 'private_test_cases', privateTests(record)),
  ]
  if (tests.length === 0) throw record.fieldError('public_test_cases', 'must have tests', undefined)
  const functionName = record.object('metadata')?.textOr('func_name', undefined)
  const made = functionName === undefined ? tests.map(stdinTest) : functionTests(record, functionName, tests)
  return {
    id: record.name(['question_id']),
    language: 'python',
    header: COMPETITION_IMPORTS,
    prompt: '',
    reference: record.textOr('reference', undefined),
    ...fittingTests(record, made),
    limits: {},
  }
}

function stdinTest({ input, output }: LiveTest): TestInput {
  return { stdin: input, expected: output, checker: CHECKER }
}

function functionTests(record: Fields, name: string, tests: readonly LiveTest[]): TestInput[] {
  const calls = tests.map(({ input, output, field }) => ({
    args: input.split('\n').map((line) => jsonValue(record, `${field}.input`, line)),
    results: [jsonValue(record, `${field}.output`, output)],
  }))
  return callTests(record, name, calls)
}

function liveTests(record: Fields, field: string, list: unknown): LiveTest[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) throw record.fieldError(field, 'must be a list of tests', list)
  return list.map((value, at) => {
    const name = `${field}[${at}]`
    const test = new Fields(value, record.place, name)
    return { input: test.text('input'), output: test.text('output'), field: name }
  })
}

/** A list, JSON, or base64 of a zlib stream of a pickled text of JSON. */
function privateTests(record: Fields): unknown {
  const field = 'private_test_cases'
  const value = record.raw(field)
  if (typeof value !== 'string' || /^\s*(\[|$)/.test(value))
    return value === '' ? undefined : record.parsed(field)
  const text = unpacked(value)
  if (text !== undefined) return jsonValue(record, field, text)
  throw record.fieldError(field, 'must be JSON, or base64 of a zlib stream of a pickled text', value)
}

function unpacked(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)) return undefined
  try {
    return pickledText(inflateSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_UNPACKED_BYTES }))
  } catch {
    return undefined
  }
}
