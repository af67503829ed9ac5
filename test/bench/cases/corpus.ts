import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import type { Bench, BenchCase } from '../bench.ts'
import type { Program } from '../contenders/contender.ts'
import { NAMES } from '../names.ts'
import { saturatedCase } from './saturated.ts'

/** Rounds of MBPP. In each round, contenders with a container per program run a quarter of it, because they are slow. */
const MBPP_ROUNDS = 4
/** An even selection of this size leaves out MBPP 123, which takes seconds and would dominate a quick run. */
const QUICK_MBPP = 25
const WITHOUT_CONTAINERS: ReadonlySet<string> = new Set([NAMES.plain, NAMES.batch, NAMES.batchPreload])

/** The 164 reference solutions of HumanEval with their tests, each a program that ends with exit code 0. */
export async function humanEval(): Promise<Program[]> {
  const problems = await records('HumanEval.jsonl.gz')
  return problems.map((problem) =>
    python(
      `${text(problem, 'prompt')}${text(problem, 'canonical_solution')}`,
      text(problem, 'test'),
      `check(${text(problem, 'entry_point')})`,
    ),
  )
}

/** The 974 reference solutions of MBPP with their asserts. */
export async function mbpp(): Promise<Program[]> {
  const problems = await records('mbpp.jsonl.gz')
  return problems.map((problem) =>
    python(
      text(problem, 'code'),
      text(problem, 'test_setup_code'),
      ...lines(problem, 'test_list'),
      ...lines(problem, 'challenge_test_list'),
    ),
  )
}

/** Both sets, each program once in a round against plain interpreters and the loop. */
export const CORPUS_CASES: readonly BenchCase[] = [
  saturatedCase({
    name: 'humaneval',
    title: '164 reference solutions of HumanEval, all at once, by the second',
    others: [NAMES.loop, NAMES.plain],
    rounds: (bench) => bench.size(3, 1),
    programs: async (bench) => spread(await humanEval(), bench.size(164, 24)),
  }),
  saturatedCase({
    name: 'mbpp',
    title:
      '974 reference solutions of MBPP, all at once (a quarter where each has its own container), by the second',
    others: [NAMES.loop, NAMES.plain],
    rounds: (bench) => bench.size(MBPP_ROUNDS, 1),
    programs: mbppPart,
  }),
]

async function mbppPart({ quick }: Bench, round: number, contender: string): Promise<Program[]> {
  const all = await mbpp()
  if (quick) return spread(all, QUICK_MBPP)
  if (WITHOUT_CONTAINERS.has(contender)) return all
  const part = Math.ceil(all.length / MBPP_ROUNDS)
  return all.slice(round * part, (round + 1) * part)
}

/** `count` items, spread evenly over the list. */
export function spread<T>(items: readonly T[], count: number): T[] {
  return items.filter(
    (_, at) => Math.floor((at * count) / items.length) !== Math.floor(((at - 1) * count) / items.length),
  )
}

function python(...parts: readonly string[]): Program {
  return { language: 'python', code: `${parts.join('\n')}\n` }
}

async function records(name: string): Promise<Record<string, unknown>[]> {
  const packed = await readFile(new URL(`../../data/${name}`, import.meta.url))
  const text = gunzipSync(packed).toString('utf8').trim()
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
}

function text(problem: Record<string, unknown>, field: string): string {
  const value = problem[field]
  if (typeof value !== 'string')
    throw new Error(`${field}: must be text in every problem, got ${typeof value}`)
  return value
}

function lines(problem: Record<string, unknown>, field: string): string[] {
  const value = problem[field]
  if (!Array.isArray(value)) throw new Error(`${field}: must be a list in every problem, got ${typeof value}`)
  return value.map(String)
}
