import { type Dataset, DatasetError, ProblemSet } from '@isopod/grading'
import { UsageError } from '@isopod/service-kit'
import { readRecords } from './read-records.ts'

const MAX_PROBLEMS = 100_000
/** Maximum characters of all problems together, which stay in memory while their samples run. */
const MAX_CHARACTERS = 1024 * 1024 * 1024

/**
 * Reads a whole data set.
 *
 * @throws {UsageError} if it cannot be read, or is empty or too large
 * @throws {DatasetError} naming file, line and field of an invalid record
 */
export async function loadProblems(dataset: Dataset, path: string): Promise<ProblemSet> {
  const problems = new ProblemSet(dataset)
  let characters = 0
  for await (const { value, place } of readRecords(path)) {
    characters += JSON.stringify(problems.add(value, place)).length
    if (problems.size > MAX_PROBLEMS || characters > MAX_CHARACTERS) {
      throw new DatasetError(place, `must be at most ${MAX_PROBLEMS} problems of 1 GiB together`)
    }
  }
  if (problems.size > 0) return problems
  throw new UsageError(`FILE: ${JSON.stringify(path)} contains no problems`)
}
