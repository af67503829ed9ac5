import { availableParallelism } from 'node:os'
import { type Checker, check, type Difference, regexSize } from '@isopod/grading'
import { RetryableError } from '@isopod/protocol'
import { type Account, PoolClosedError, startThread, ThreadPool } from '@isopod/threads'
import type { CheckRequest } from './check-thread.ts'

/** Beginning of the difference of an output whose comparison exceeded its bounds. */
export const COMPARISON_EXCEEDED = 'the comparison took more than'

/** Bounds of comparisons. */
export interface CheckBudget {
  /** CPU time of one comparison, in milliseconds. @default 10000 */
  readonly checkCpuMs: number
  /** CPU time of all comparisons of one job, in milliseconds. @default 60000 */
  readonly jobCpuMs: number
  /**
   * Heap of one comparison in MiB, twice what the largest one of a job needs. A last resort: V8 ends the whole process if a
   * growing hash table meets this limit. @default 1024
   */
  readonly heapMb: number
}

const BUDGET: CheckBudget = { checkCpuMs: 10_000, jobCpuMs: 60_000, heapMb: 1024 }
/** Characters of expected and actual output together up to which this thread compares them itself; more would block it. */
const SMALL = 16 * 1024
/** Characters, and steps of an expression times characters, beyond which a comparison takes most of a second. */
const HEAVY_CHARACTERS = 2 * 1024 * 1024
const HEAVY_STEPS = 16 * 1024 * 1024
/** CPU time in milliseconds after which all comparisons of a job count as heavy. */
const LIGHT_MS = 500
/** Wall clock of a comparison per millisecond of CPU time; a thread that is starved for longer would hardly finish. */
const WALL_FACTOR = 10
const THREADS = Math.max(2, Math.min(4, availableParallelism()))

/** The comparisons of one job. */
export interface JobChecks {
  /**
   * Compares an output with the expected one: undefined if it passes, else the difference in one sentence. A comparison that
   * exceeds its bounds is a difference too.
   *
   * @throws {RetryableError} if the host has no time for it, or the worker stops
   */
  check(checker: Checker, expected: string, actual: string): Promise<Difference>
  /** Why a regular expression cannot be used; undefined if it can. Throws as `check` does. */
  expressionProblem(expression: string): Promise<string | undefined>
}

/** Compares outputs. Long ones, and those with a regular expression, are compared in threads that all jobs share. */
export class OutputChecks {
  readonly #budget: CheckBudget
  readonly #pool: ThreadPool<CheckRequest, Difference>

  /** @param budget bounds that differ from the defaults, for specs */
  constructor(budget: Partial<CheckBudget> = {}) {
    this.#budget = { ...BUDGET, ...budget }
    const { heapMb } = this.#budget
    const here = import.meta.url
    // A file beside this one: its source in specs, compiled in the product.
    const entry = new URL(`./check-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here)
    this.#pool = new ThreadPool({
      size: THREADS,
      lightMs: LIGHT_MS,
      start: () => startThread({ entry, heapMb, youngMb: 8 }),
    })
  }

  /**
   * Opens the CPU account of a job.
   *
   * @param signal ends open comparisons, which then reject with its reason
   */
  ofJob({ tenant }: { readonly tenant: string }, signal?: AbortSignal): JobChecks {
    const account: Account = { group: tenant, cpuMs: 0 }
    return {
      check: async (checker, expected, actual) => {
        const isSmall = expected === actual || expected.length + actual.length <= SMALL
        // A few characters of a regular expression can stand for a million steps.
        if (isSmall && checker.type !== 'regex') return check(checker, expected, actual)
        return await this.#ask({ checker, expected, actual }, account, signal)
      },
      expressionProblem: (expression) =>
        this.#ask({ checker: { type: 'regex' }, expected: expression, actual: undefined }, account, signal),
    }
  }

  /** Ends the threads; open comparisons reject. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #ask(request: CheckRequest, account: Account, signal?: AbortSignal): Promise<Difference> {
    const { checkCpuMs, jobCpuMs } = this.#budget
    const left = jobCpuMs - account.cpuMs
    if (left <= 0) return exceeded(request, allOfJob(jobCpuMs))
    const cpuMs = Math.min(checkCpuMs, left)
    const bounds = { cpuMs, wallMs: WALL_FACTOR * checkCpuMs }
    const outcome = await this.#pool
      .run({ request, account, heavy: isHeavy(request), bounds, signal })
      .catch((error: unknown) => {
        throw error instanceof PoolClosedError ? lost('is stopping') : error
      })
    switch (outcome.failure) {
      case undefined:
        return outcome.answer
      case 'cpu':
        return exceeded(
          request,
          cpuMs < checkCpuMs ? allOfJob(jobCpuMs) : `${seconds(checkCpuMs)} of CPU time`,
        )
      case 'memory':
        return exceeded(request, `${this.#budget.heapMb} MiB of memory`)
      case 'starved':
        throw lost('had no CPU time')
      case 'died':
        throw lost('ended')
      default:
        return outcome satisfies never
    }
  }
}

function isHeavy({ checker, expected, actual = '' }: CheckRequest): boolean {
  if (checker.type !== 'regex') return expected.length + actual.length > HEAVY_CHARACTERS
  return regexSize(expected) * (1 + actual.length) > HEAVY_STEPS
}

/** The difference of an output, or the problem of an expression, that exceeded its bounds. */
function exceeded({ actual }: CheckRequest, what: string): string {
  return actual === undefined ? `takes more than ${what} to be read` : `${COMPARISON_EXCEEDED} ${what}`
}

function allOfJob(jobCpuMs: number): string {
  return `the ${seconds(jobCpuMs)} of CPU time that all comparisons of a job may take`
}

function seconds(ms: number): string {
  return `${ms / 1000} s`
}

function lost(how: string): RetryableError {
  return new RetryableError(`the thread that compares outputs ${how}`)
}
