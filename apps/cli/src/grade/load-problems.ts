import {
  DATASETS,
  type Dataset,
  DatasetError,
  type Place,
  ProblemSet,
  recognizeDataset,
} from '@isopod/grading'
import { UsageError } from '@isopod/service-kit'
import { readRecords } from './read-records.ts'

const MAX_PROBLEMS = 100_000
/** Maximum characters of all problems together, which stay in memory while their samples run. */
const MAX_CHARACTERS = 1024 * 1024 * 1024

/**
 * Reads a whole data set.
 *
 * @param dataset undefined: the kind that the fields of the first record show
 * @throws {UsageError} if it cannot be read, is too large, or has no problem with tests
 * @throws {DatasetError} naming file, line and field of an invalid record
 */
export async function loadProblems(dataset: Dataset | undefined, path: string): Promise<ProblemSet> {
  let problems = dataset === undefined ? undefined : new ProblemSet(dataset)
  let characters = 0
  for await (const { value, place } of readRecords(path)) {
    problems ??= new ProblemSet(recognized(value, place))
    characters += JSON.stringify(problems.add(value, place)).length
    if (problems.size > MAX_PROBLEMS || characters > MAX_CHARACTERS) {
      throw new DatasetError(place, `must be at most ${MAX_PROBLEMS} problems of 1 GiB together`)
    }
  }
  if (problems !== undefined && problems.size > 0) return problems
  const { size } = problems?.untested ?? new Set()
  if (size > 0)
    throw new UsageError(`FILE: ${JSON.stringify(path)} contains no problems with tests, got ${size} without`)
  throw new UsageError(`FILE: ${JSON.stringify(path)} contains no problems`)
}

function recognized(value: unknown, place: Place): Dataset {
  const found = recognizeDataset(value)
  if (found !== undefined) return found
  throw new DatasetError(
    place,
    `must have the fields of a known data set; name its kind with --dataset (${DATASETS.join(', ')})`,
  )
}
