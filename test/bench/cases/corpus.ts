import { humanEval, mbpp, type Problem } from '../../support/corpora.ts'
import type { Bench, BenchCase } from '../bench.ts'
import { type Program, wholeOf } from '../contenders/contender.ts'
import { SCRIPT_MODES } from '../contenders/isopod.ts'
import { NAMES } from '../names.ts'
import { saturatedCase } from './saturated.ts'

/** Rounds of MBPP. In each round, contenders with a container per program run a quarter of it, because they are slow. */
const MBPP_ROUNDS = 4
/** An even selection of this size leaves out MBPP 123, which takes seconds and would dominate a quick run. */
const QUICK_MBPP = 25
/** A worker runs for days; V8 compiles its code while it runs its first thousand jobs. */
const SCRIPTS_WARM_UP = 1000
const WITHOUT_CONTAINERS: ReadonlySet<string> = new Set([NAMES.plain, NAMES.batch, NAMES.batchPreload])

/** Reference solutions, each with its tests as the script of a test case. */
export function withScripts(problems: readonly Problem[]): Program[] {
  return problems.map(({ code, script }) => ({ language: 'python', code, script }))
}

/** Reference solutions with their tests, each one program that ends with exit code 0. */
export function wholePrograms(problems: readonly Problem[]): Program[] {
  return withScripts(problems).map((program) => ({ language: 'python', code: wholeOf(program) }))
}

/** Both sets, each program once in a round against plain interpreters and the loop; then with test cases in batches. */
export const CORPUS_CASES: readonly BenchCase[] = [
  saturatedCase({
    name: 'humaneval',
    title: '164 reference solutions of HumanEval, all at once, by the second',
    others: [NAMES.loop, NAMES.plain],
    rounds: (bench) => bench.size(3, 1),
    programs: (bench) => spread(wholePrograms(humanEval()), bench.size(164, 24)),
  }),
  saturatedCase({
    name: 'mbpp',
    title:
      '974 reference solutions of MBPP, all at once (a quarter where each has its own container), by the second',
    others: [NAMES.loop, NAMES.plain],
    rounds: (bench) => bench.size(MBPP_ROUNDS, 1),
    programs: mbppPart,
  }),
  saturatedCase({
    name: 'humaneval-scripts',
    title:
      '164 reference solutions of HumanEval, judged by test scripts, all at once, after 1,000 uncounted ones, by the second',
    others: [NAMES.plain],
    modes: SCRIPT_MODES,
    warmUp: SCRIPTS_WARM_UP,
    rounds: (bench) => bench.size(5, 1),
    programs: (bench) => spread(withScripts(humanEval()), bench.size(164, 24)),
  }),
  saturatedCase({
    name: 'mbpp-scripts',
    title:
      '974 reference solutions of MBPP, judged by test scripts, all at once, after 1,000 uncounted ones, by the second',
    others: [NAMES.plain],
    modes: SCRIPT_MODES,
    warmUp: SCRIPTS_WARM_UP,
    rounds: (bench) => bench.size(2, 1),
    programs: (bench) => spread(withScripts(mbpp()), bench.size(974, QUICK_MBPP)),
  }),
]

function mbppPart({ quick }: Bench, round: number, contender: string): Program[] {
  const all = wholePrograms(mbpp())
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
