import type { Bench, BenchCase } from '../bench.ts'
import type { Contender, Program } from '../contenders/contender.ts'
import type { Mode } from '../contenders/isopod.ts'
import { BoundsMeter } from '../measure/bounds.ts'
import { interleave } from '../rounds.ts'
import { recordShares } from './idle.ts'
import { HELLO } from './programs.ts'

/** Most uncounted runs before a later block. A worker destroys the containers of a batch after a minute without jobs. */
const MAX_REWARM = 32

/** A case that submits all programs at once. */
export interface SaturatedCase {
  readonly name: string
  readonly title: string
  /** The programs of a contender's block. */
  readonly programs: (
    bench: Bench,
    round: number,
    contender: string,
  ) => Promise<readonly Program[]> | readonly Program[]
  readonly others: readonly string[]
  /** @default all */
  readonly modes?: readonly Mode[]
  readonly rounds: (bench: Bench) => number
  /** Number of programs that each contender runs before, uncounted. @default 4 */
  readonly warmUp?: number
  /** Whether to measure engine calls and processor time as well. */
  readonly bounds?: boolean
}

/** Makes a case: the rate of each block, from the first `submit` until the producer has the last result. */
export function saturatedCase(saturated: SaturatedCase): BenchCase {
  const { name, title, warmUp = 4 } = saturated
  return {
    name,
    title,
    async run(bench) {
      const isopods = await bench.contenders.isopod(name, saturated.modes)
      const others = present(bench, name, saturated.others)
      const meters = new Map<Contender, BoundsMeter>()
      if (saturated.bounds) {
        for (const contender of others) meters.set(contender, new BoundsMeter())
        for (const contender of isopods) meters.set(contender, new BoundsMeter(contender.worker))
      }
      const warm = new Set<Contender>()
      const entrants = [...others, ...isopods].map((contender) => ({
        name: contender.name,
        block: async (round: number) => {
          const programs = await saturated.programs(bench, round, contender.name)
          // These runs are not counted: they find the best concurrency, and fill the batch's containers and the pool.
          const count = warm.has(contender) ? Math.min(warmUp, MAX_REWARM) : warmUp
          await runRepeatedly(contender, programs, bench.size(count, 2))
          warm.add(contender)
          await contender.settle()
          await measureBlock(bench, name, contender, programs, meters.get(contender))
        },
      }))
      await interleave(bench, name, saturated.rounds(bench), entrants)
      for (const [contender, meter] of meters) {
        if (meter.result !== undefined) bench.bounds.set(contender.name, meter.result)
      }
    },
  }
}

/** The contenders other than Isopod that this machine supports; records the missing ones. */
function present(bench: Bench, name: string, wanted: readonly string[]): Contender[] {
  return wanted.flatMap((contender) => {
    const found = bench.contenders.others.get(contender)
    if (found !== undefined) return [found]
    const reason = 'the engine has no such runtime'
    bench.book.miss({ case: name, contender, kind: 'impossible', reason })
    return []
  })
}

async function runRepeatedly(
  contender: Contender,
  programs: readonly Program[],
  count: number,
): Promise<void> {
  for (let left = count; left > 0; left -= programs.length) await contender.runAll(programs.slice(0, left))
}

async function measureBlock(
  bench: Bench,
  name: string,
  contender: Contender,
  programs: readonly Program[],
  meter: BoundsMeter | undefined,
): Promise<void> {
  const place = { case: name, contender: contender.name }
  const block = async () => {
    const startedAt = performance.now()
    const runs = await contender.runAll(programs)
    const seconds = (performance.now() - startedAt) / 1000
    bench.book.add({ ...place, metric: 'rate', unit: '/s' }, programs.length / seconds)
    recordShares(bench, place, runs)
    // Work after the results, such as removing containers, counts too.
    await contender.settle()
    return { programs: programs.length, programMs: runs.reduce((sum, { cpuMs = 0 }) => sum + cpuMs, 0) }
  }
  if (meter === undefined) await block()
  else await meter.around(block)
}

/** Many copies of one program. */
export function helloSaturated(
  language: Program['language'],
  others: readonly string[],
  modes: readonly Mode[],
  sizes: { readonly full: readonly [number, number]; readonly quick: readonly [number, number] },
  {
    name = `hello-${language}-saturated`,
    title = `hello in ${language}, many jobs at once, by the second`,
  } = {},
): BenchCase {
  const of = (bench: Bench) => (bench.quick ? sizes.quick : sizes.full)
  return saturatedCase({
    name,
    title,
    programs: (bench) => Array.from({ length: of(bench)[1] }, () => HELLO[language]),
    rounds: (bench) => of(bench)[0],
    others,
    modes,
    bounds: language === 'python',
  })
}
