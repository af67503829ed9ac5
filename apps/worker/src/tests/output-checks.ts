import { Worker } from 'node:worker_threads'
import { type Checker, check, type Difference } from '@isopod/grading'
import { RetryableError } from '@isopod/protocol'
import type { CheckAnswer, CheckRequest } from './check-thread.ts'

/** Characters of expected and actual output together that are compared at once; more would hold up other jobs. */
const SMALL = 16 * 1024
/** Memory of the thread in MiB: lines of the longest output fit many times. */
const HEAP_MB = 1024
/** How long one check may take, those before it included, in milliseconds. It is a matter of one second for the longest. */
const PATIENCE_MS = 120_000

interface Waiting {
  readonly resolve: (difference: Difference) => void
  readonly reject: (reason: Error) => void
  readonly timer: NodeJS.Timeout
}

/** Compares outputs; long ones, and those whose expectation is an expression, in a thread, which is started when it is needed. */
export class OutputChecks {
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | undefined
  #last = 0

  /** @throws {RetryableError} if the thread is lost: that says nothing about the output */
  async check(checker: Checker, expected: string, actual: string): Promise<Difference> {
    const small = expected.length + actual.length <= SMALL && checker.type !== 'regex'
    if (small || expected === actual) return check(checker, expected, actual)
    const id = ++this.#last
    const answered = new Promise<Difference>((resolve, reject) => {
      const timer = setTimeout(() => this.#lose('took too long'), PATIENCE_MS)
      this.#waiting.set(id, { resolve, reject, timer })
    })
    this.#started().postMessage({ id, checker, expected, actual } satisfies CheckRequest)
    return await answered
  }

  /** Ends the thread; checks under way reject. */
  close(): void {
    this.#lose('is stopping')
  }

  #started(): Worker {
    if (this.#thread !== undefined) return this.#thread
    const here = import.meta.url
    // Beside this file, as source in tests and compiled in the product.
    const entry = new URL(`./check-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here)
    const thread = new Worker(entry, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 8 },
    })
    const lose = () => {
      if (this.#thread === thread) this.#lose('ended')
    }
    thread.on('message', (answer: CheckAnswer) => this.#take(answer))
    thread.on('error', lose).on('exit', lose)
    thread.unref()
    this.#thread = thread
    return thread
  }

  #take({ id, difference }: CheckAnswer): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    clearTimeout(waiting.timer)
    waiting.resolve(difference)
  }

  #lose(how: string): void {
    const thread = this.#thread
    this.#thread = undefined
    void thread?.terminate()
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer)
      reject(new RetryableError(`the thread that compares outputs ${how}`))
    }
    this.#waiting.clear()
  }
}
