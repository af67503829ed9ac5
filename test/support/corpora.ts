import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** A problem of HumanEval or MBPP as its authors test it. */
export interface Problem {
  readonly name: string
  /** The prompt, followed by the reference solution. */
  readonly code: string
  readonly script: string
}

/** The 164 problems of HumanEval: `exec(prompt + completion + "\n" + test + "\n" + check(entry_point))`. */
export function humanEval(): Problem[] {
  return records('HumanEval.jsonl.gz').map((each) => ({
    name: String(each['task_id']),
    code: `${each['prompt']}${each['canonical_solution']}`,
    script: `${each['test']}\ncheck(${each['entry_point']})`,
  }))
}

/** The 974 problems of MBPP: code, then set-up, then each assert. */
export function mbpp(): Problem[] {
  return records('mbpp.jsonl.gz').map((each) => ({
    name: `MBPP/${each['task_id']}`,
    code: String(each['code']),
    script: [each['test_setup_code'], each['test_list'], each['challenge_test_list']].flat().join('\n'),
  }))
}

function records(name: string): Record<string, unknown>[] {
  const packed = readFileSync(new URL(`../data/${name}`, import.meta.url))
  const text = gunzipSync(packed).toString('utf8').trim()
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
}
