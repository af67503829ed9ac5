import { parentPort } from 'node:worker_threads'
import { type Checker, check, type Difference, regexProblem } from '@isopod/grading'

/** One output to judge, or without one, an expression to look at. */
export interface CheckRequest {
  readonly id: number
  readonly checker: Checker
  readonly expected: string
  readonly actual: string | undefined
}

/** What the thread makes of it. */
export interface CheckAnswer {
  readonly id: number
  readonly difference: Difference
}

const port = parentPort
if (port === null) throw new Error('check-thread: runs as a worker thread only')
port.on('message', ({ id, checker, expected, actual }: CheckRequest) => {
  const difference = actual === undefined ? regexProblem(expected) : check(checker, expected, actual)
  port.postMessage({ id, difference } satisfies CheckAnswer)
})
