import type { Bench, BenchCase } from '../bench.ts'
import type { Contender, Program, Run } from '../contenders/contender.ts'
import type { Mode } from '../contenders/isopod.ts'
import { poolLevel, untilWorkerIdle } from '../measure/scrape.ts'
import { NAMES, PART } from '../names.ts'
import { interleave } from '../rounds.ts'

/** Time without change after which a worker's pool counts as full between two jobs, in milliseconds. */
const PAUSE_MS = 300

/** Contenders whose time is divided into parts, the program's own time among them: one in each case. */
const PARTS_OF: ReadonlySet<string> = new Set([NAMES.fresh, NAMES.processWithoutPool])

/** A case that runs single programs and measures from `submit` until the producer has the result. */
export interface IdleCase {
  readonly name: string
  readonly title: string
  readonly program: Program
  readonly output: (stdout: string) => boolean
  /** Contenders besides the modes of Isopod. */
  readonly others: readonly string[]
  /** @default all */
  readonly modes?: readonly Mode[]
  /** Pause for a pool whose containers take longer to make, in milliseconds. @default 300 */
  readonly pauseMs?: number
  /** Numbers of rounds, and of programs per contender and round. */
  readonly full: readonly [rounds: number, programs: number]
  readonly quick: readonly [rounds: number, programs: number]
}

/** Makes a case. The first program of each block is not counted: it makes the worker fill its pool. */
export function idleCase(idle: IdleCase): BenchCase {
  const { name, title } = idle
  return {
    name,
    title,
    async run(bench) {
      const isopods = await bench.contenders.isopod(name, idle.modes)
      const contenders = [
        ...idle.others.flatMap((other) => bench.contenders.others.get(other) ?? []),
        ...isopods,
      ]
      const [rounds, programs] = bench.quick ? idle.quick : idle.full
      const workers = new Map<Contender, string>(isopods.map((one) => [one, one.worker.url]))
      const entrants = contenders.map((contender) => ({
        name: contender.name,
        block: async () => {
          const url = workers.get(contender)
          const pause = url === undefined ? async () => {} : await pauseOf(url, idle.pauseMs ?? PAUSE_MS)
          await once(contender, idle)
          for (let count = 0; count < programs; count += 1) {
            await pause()
            await measureOnce(bench, contender, idle)
          }
          await contender.settle()
        },
      }))
      await interleave(bench, name, rounds, entrants)
    },
  }
}

async function pauseOf(url: string, pauseMs: number): Promise<() => Promise<void>> {
  const level = await poolLevel(url)
  return () => untilWorkerIdle(url, level, pauseMs)
}

async function once(contender: Contender, { program, output }: IdleCase) {
  const startedAt = performance.now()
  const run = await contender.run(program)
  const ms = performance.now() - startedAt
  if (!output(run.stdout)) throw new Error(`the program printed ${JSON.stringify(run.stdout.slice(0, 100))}`)
  return { run, ms }
}

async function measureOnce(bench: Bench, contender: Contender, idle: IdleCase): Promise<void> {
  const { run, ms } = await once(contender, idle)
  const place = { case: idle.name, contender: contender.name }
  bench.book.add({ ...place, metric: 'time', unit: 'ms' }, ms)
  if (run.origin === undefined) return
  if (PARTS_OF.has(contender.name)) recordParts(bench, place, run, ms)
  recordShares(bench, place, [run])
}

/** Records the time of each stage of a job in a fresh sandbox. */
function recordParts(
  { book }: Bench,
  place: { readonly case: string; readonly contender: string },
  { ownMs, steps }: Run,
  ms: number,
): void {
  if (ownMs === undefined || steps === undefined) return
  const { acquire, run } = steps
  const part = (name: string, took: number) =>
    book.add({ ...place, metric: `${PART}${name}`, unit: 'ms' }, took)
  part('queue and result', ms - acquire - run)
  part('container setup', acquire)
  part('engine, init and compiler', run - ownMs)
  book.add({ case: place.case, contender: NAMES.own, metric: 'time', unit: 'ms' }, ownMs)
}

/** Records the shares of jobs whose container came from the pool, came from the batch, or was preloaded. */
export function recordShares(
  { book }: Bench,
  place: { readonly case: string; readonly contender: string },
  runs: readonly { origin?: string | undefined; preloaded?: boolean | undefined }[],
): void {
  for (const { origin, preloaded } of runs) {
    if (origin === undefined) continue
    const share = (metric: string, holds: boolean) =>
      book.add({ ...place, metric: `share ${metric}`, unit: 'share' }, holds ? 1 : 0)
    share('from the pool', origin === 'pool')
    share('used before by the batch', origin === 'batch')
    share('preloaded', preloaded === true)
  }
}
