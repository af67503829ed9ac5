import type { Dataset } from './problem.ts'

/** The kind of the data set that a record belongs to, by the fields of the published formats; undefined if it is none. */
export function recognizeDataset(value: unknown): Dataset | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const has = (...names: readonly string[]) => names.every((name) => Object.hasOwn(value, name))
  const { task_id: task } = value as { readonly task_id?: unknown }
  const name = typeof task === 'string' ? task : ''
  if (has('question_content') || has('public_test_cases')) return 'livecodebench'
  if (has('complete_prompt') || has('instruct_prompt')) return 'bigcodebench'
  if (has('declaration', 'test') && HUMANEVAL_X.test(name)) return 'humaneval-x'
  if (has('test_list') || /^mbpp\//i.test(name)) return 'mbpp'
  if (has('entry_point', 'prompt')) return 'humaneval'
  if (has('language', 'prompt') && typeof (value as { tests?: unknown }).tests === 'string')
    return 'multipl-e'
  const known = ['tests', 'input_output', 'public_tests', 'private_tests', 'generated_tests']
  return known.some((field) => has(field)) ? 'stdin-tests' : undefined
}

/** Names of problems in HumanEval-X, with its languages. */
export const HUMANEVAL_X = /^(Python|CPP|Java|JavaScript|Go|Rust)\/\d+$/
