import { readBigCodeBench } from './bigcodebench.ts'
import { readHumanEval } from './humaneval.ts'
import { readHumanEvalX } from './humaneval-x.ts'
import { readLiveCodeBench } from './livecodebench.ts'
import { mbppName, readMbpp } from './mbpp.ts'
import { readMultiplE } from './multipl-e.ts'
import type { Dataset, DatasetProblem } from './problem.ts'
import { DatasetError, Fields, type Place, shown } from './record.ts'
import { readStdinTests } from './stdin-tests.ts'

const READERS = {
  humaneval: readHumanEval,
  mbpp: readMbpp,
  'humaneval-x': readHumanEvalX,
  'multipl-e': readMultiplE,
  bigcodebench: readBigCodeBench,
  livecodebench: readLiveCodeBench,
  'stdin-tests': readStdinTests,
} as const satisfies Record<Dataset, (record: Fields) => DatasetProblem>

/**
 * The problems of one data set, in their order.
 *
 * @example
 * ```ts
 * const problems = new ProblemSet('humaneval')
 * problems.add(JSON.parse(line), { file: 'HumanEval.jsonl', line: 1 })
 * problems.find('HumanEval/0')?.tests
 * ```
 */
export class ProblemSet {
  readonly dataset: Dataset
  readonly #problems = new Map<string, DatasetProblem>()
  readonly #lines = new Map<string, number>()
  readonly #untested = new Set<string>()

  constructor(dataset: Dataset) {
    this.dataset = dataset
  }

  get size(): number {
    return this.#problems.size
  }

  /**
   * Adds a problem, or takes note of its name if it has no tests.
   *
   * @throws {DatasetError} naming file, line and field of an invalid or duplicate problem
   */
  add(value: unknown, place: Place): DatasetProblem {
    const problem = READERS[this.dataset](new Fields(value, place))
    const earlierLine = this.#lines.get(problem.id)
    if (earlierLine !== undefined) {
      throw new DatasetError(place, `the problem ${shown(problem.id)} is already on line ${earlierLine}`)
    }
    if (problem.tests.length === 0) this.#untested.add(problem.id)
    else this.#problems.set(problem.id, problem)
    this.#lines.set(problem.id, place.line)
    return problem
  }

  /** The problem with this name, in the form that samples use; undefined if there is none with tests. */
  find(name: string): DatasetProblem | undefined {
    return this.#problems.get(this.dataset === 'mbpp' ? mbppName(name) : name)
  }

  /** Names of the problems without tests, which nothing can judge. */
  get untested(): ReadonlySet<string> {
    return this.#untested
  }

  /** All problems with tests. */
  all(): IterableIterator<DatasetProblem> {
    return this.#problems.values()
  }
}
