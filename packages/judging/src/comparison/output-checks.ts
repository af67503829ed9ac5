import { availableParallelism } from 'node:os'
import { type Checker, check, type Difference, regexSize } from '@isopod/grading'
import { RetryableError } from '@isopod/protocol'
import { type TaskFailure, ThreadPool } from '@isopod/threads'
import pLimit from 'p-limit'
import type { ComparisonRequest } from './check-thread.ts'

/** First words of the difference that is reported when a comparison exceeded its bounds. */
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

/** What happened to the thread of a comparison, independently of the output, as the end of a sentence. */
const THREAD_FAILURES: Readonly<Record<Exclude<TaskFailure, 'cpu' | 'memory'>, string>> = {
  starved: 'had no CPU time',
  unstarted: 'did not start',
  died: 'ended',
  closed: 'is stopping',
  busy: 'is busy',
  late: 'was not free in time',
}

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

/** The CPU account of one job. */
interface CpuAccount {
  readonly tenant: string
  cpuMs: number
}

/** Compares outputs. Long ones, and those with a regular expression, are compared in threads that all jobs share. */
export class OutputChecks {
  readonly #budget: CheckBudget
  readonly #light: ThreadPool<ComparisonRequest, Difference>
  /** Ends idle threads, because a thread never returns the memory of a heavy comparison. */
  readonly #heavy: ThreadPool<ComparisonRequest, Difference>
  /** Open comparisons by tenant. */
  readonly #open = new Map<string, number>()

  /** @param budget overrides of the default bounds, for specs */
  constructor(budget: Partial<CheckBudget> = {}) {
    this.#budget = { ...BUDGET, ...budget }
    const here = import.meta.url
    // The neighbouring module: TypeScript in specs, JavaScript in the build.
    const entry = new URL(`./check-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here)
    const threads = { entry, task: 'compareOutput', heapMb: this.#budget.heapMb, youngMb: 8 }
    const light = Math.floor(THREADS / 2)
    this.#light = new ThreadPool({ ...threads, size: light, keepsIdle: true })
    this.#heavy = new ThreadPool({ ...threads, size: THREADS - light, keepsIdle: false })
  }

  /**
   * Opens the CPU account of a job.
   *
   * @param signal ends open comparisons, which then reject with its reason
   */
  ofJob({ tenant }: { readonly tenant: string }, signal?: AbortSignal): JobChecks {
    const account: CpuAccount = { tenant, cpuMs: 0 }
    const oneAtATime = pLimit(1)
    const ask = (request: ComparisonRequest) => oneAtATime(() => this.#ask(request, account, signal))
    return {
      check: async (checker, expected, actual) => {
        const isSmall = expected === actual || expected.length + actual.length <= SMALL
        // A short regular expression can take a million steps.
        if (isSmall && checker.type !== 'regex') return check(checker, expected, actual)
        return await ask({ checker, expected, actual })
      },
      expressionProblem: (expression) =>
        ask({ checker: { type: 'regex' }, expected: expression, actual: undefined }),
    }
  }

  /** Ends the threads; open comparisons reject. */
  async close(): Promise<void> {
    await Promise.all([this.#light.close(), this.#heavy.close()])
  }

  async #ask(request: ComparisonRequest, account: CpuAccount, signal?: AbortSignal): Promise<Difference> {
    const { checkCpuMs, jobCpuMs, heapMb } = this.#budget
    const left = jobCpuMs - account.cpuMs
    if (left <= 0) return exceeded(request, allOfJob(jobCpuMs))
    const cpuMs = Math.min(checkCpuMs, left)
    const bounds = { cpuMs, wallMs: WALL_FACTOR * checkCpuMs, signal }
    const pool = isHeavy(request) || account.cpuMs > LIGHT_MS ? this.#heavy : this.#light
    const outcome = await this.#inTurn(account, (priority) => pool.run(request, { ...bounds, priority }))
    account.cpuMs += outcome.cpuMs
    switch (outcome.failure) {
      case undefined:
        return outcome.answer
      case 'cpu':
        return exceeded(
          request,
          cpuMs < checkCpuMs ? allOfJob(jobCpuMs) : `${seconds(checkCpuMs)} of CPU time`,
        )
      case 'memory':
        return exceeded(request, `${heapMb} MiB of memory`)
      default:
        throw new RetryableError(`the thread that compares outputs ${THREAD_FAILURES[outcome.failure]}`)
    }
  }

  /** Tenants take turns: fewer open comparisons of the tenant first, then less CPU time used. */
  async #inTurn<T>({ tenant, cpuMs }: CpuAccount, run: (priority: number) => Promise<T>): Promise<T> {
    const open = this.#open.get(tenant) ?? 0
    this.#open.set(tenant, open + 1)
    try {
      return await run(-(open + cpuMs / (1 + this.#budget.jobCpuMs)))
    } finally {
      const left = (this.#open.get(tenant) ?? 1) - 1
      if (left === 0) this.#open.delete(tenant)
      else this.#open.set(tenant, left)
    }
  }
}

function isHeavy({ checker, expected, actual = '' }: ComparisonRequest): boolean {
  if (checker.type !== 'regex') return expected.length + actual.length > HEAVY_CHARACTERS
  return regexSize(expected) * (1 + actual.length) > HEAVY_STEPS
}

/** The difference of an output, or the problem of an expression, that exceeded its bounds. */
function exceeded({ actual }: ComparisonRequest, what: string): string {
  return actual === undefined ? `takes more than ${what} to be parsed` : `${COMPARISON_EXCEEDED} ${what}`
}

function allOfJob(jobCpuMs: number): string {
  return `the ${seconds(jobCpuMs)} of CPU time that all comparisons of a job may take`
}

function seconds(ms: number): string {
  return `${ms / 1000} s`
}
