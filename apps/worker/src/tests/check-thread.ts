import { parentPort } from 'node:worker_threads'
import { type Checker, check, type Difference } from '@isopod/grading'

/** One output to judge. */
export interface CheckRequest {
  readonly id: number
  readonly checker: Checker
  readonly expected: string
  readonly actual: string
}

/** What the thread makes of it. */
export interface CheckAnswer {
  readonly id: number
  readonly difference: Difference
}

const port = parentPort
if (port === null) throw new Error('check-thread: runs as a worker thread only')
port.on('message', ({ id, checker, expected, actual }: CheckRequest) => {
  port.postMessage({ id, difference: check(checker, expected, actual) } satisfies CheckAnswer)
})
