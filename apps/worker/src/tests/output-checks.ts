import { Worker } from 'node:worker_threads'
import { type Checker, check, type Difference } from '@isopod/grading'
import { RetryableError } from '@isopod/protocol'
import type { CheckAnswer, CheckRequest } from './check-thread.ts'
import { CheckerFaultError } from './checker-fault.ts'

/** Characters of expected and actual output together that are compared at once; more would hold up other jobs. */
const SMALL = 16 * 1024
/** Memory of the thread in MiB: lines of the longest output fit many times. */
const HEAP_MB = 1024
/** How long one check may take, in milliseconds. It is a matter of one second for the longest, but for expressions. */
const PATIENCE_MS = 30_000

interface Waiting {
  readonly request: CheckRequest
  readonly resolve: (difference: Difference) => void
  readonly reject: (reason: Error) => void
}

/** Compares outputs; long ones, and those whose expectation is an expression, in a thread, which is started when it is needed. */
export class OutputChecks {
  readonly #patienceMs: number
  /** In the order in which the thread takes them. */
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | undefined
  #patience: NodeJS.Timeout | undefined
  #last = 0

  /** @param patienceMs how long one check may take, for tests */
  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs
  }

  /**
   * Says how an output differs from what was expected; undefined if it passes.
   *
   * @throws {CheckerFaultError} if an expression takes too long, or too much memory
   * @throws {RetryableError} if the thread is lost: that says nothing about the output
   */
  async check(checker: Checker, expected: string, actual: string): Promise<Difference> {
    const isSmall = expected === actual || expected.length + actual.length <= SMALL
    // A few characters of an expression can stand for a million steps.
    if (isSmall && checker.type !== 'regex') return check(checker, expected, actual)
    return await this.#ask({ checker, expected, actual })
  }

  /** Why an expression cannot be used; undefined if it can. Throws as {@link OutputChecks.check} does. */
  async expressionProblem(expression: string): Promise<string | undefined> {
    return await this.#ask({ checker: { type: 'regex' }, expected: expression, actual: undefined })
  }

  /** Ends the thread; checks under way reject. */
  close(): void {
    const open = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#end()
    for (const { reject } of open) reject(lost('is stopping'))
  }

  #ask(question: Omit<CheckRequest, 'id'>): Promise<Difference> {
    const { promise, resolve, reject } = Promise.withResolvers<Difference>()
    const request = { id: ++this.#last, ...question }
    this.#waiting.set(request.id, { request, resolve, reject })
    this.#started().postMessage(request)
    if (this.#waiting.size === 1) this.#watch()
    return promise
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
    this.#watch()
    waiting.resolve(difference)
  }

  /** Gives the check that is first now its time. */
  #watch(): void {
    clearTimeout(this.#patience)
    if (this.#waiting.size === 0) return
    this.#patience = setTimeout(() => this.#lose('took too long'), this.#patienceMs)
  }

  /** The check that was being made is over; those behind it go to another thread. */
  #lose(how: string): void {
    this.#end()
    const [first, ...others] = this.#waiting.values()
    if (first === undefined) return
    const { request, reject } = first
    this.#waiting.delete(request.id)
    for (const other of others) this.#started().postMessage(other.request)
    this.#watch()
    const isExpression = request.checker.type === 'regex'
    reject(isExpression ? new CheckerFaultError(`a regular expression of the tests ${how}`) : lost(how))
  }

  #end(): void {
    clearTimeout(this.#patience)
    const thread = this.#thread
    this.#thread = undefined
    void thread?.terminate()
  }
}

function lost(how: string): RetryableError {
  return new RetryableError(`the thread that compares outputs ${how}`)
}
