import { createHash } from 'node:crypto'
import {
  type DatasetProblem,
  gradingLanguage,
  type ProblemSet,
  readSolutions,
  referenceOf,
  SOLUTION_FIELDS,
  type Solution,
  solutionRecords,
  stripFences,
} from '@isopod/grading'
import { visible } from '@isopod/protocol'
import { UsageError } from '@isopod/service-kit'
import type { FileRecord } from './file-record.ts'
import { isProgramFolder, readPrograms } from './read-programs.ts'
import { readRecords } from './read-records.ts'

/** One sample of the file, with its problem. */
export interface GivenSample {
  /** From 0, in the order of the file. */
  readonly index: number
  readonly problem: DatasetProblem
  readonly solution: Solution
  /** The sample's own fields, as results repeat them. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The result of a first pass over all samples. */
export interface SampleScan {
  readonly count: number
  /** Name of the problem → number of its samples. */
  readonly perProblem: ReadonlyMap<string, number>
  readonly languages: ReadonlySet<string>
  /** Number of samples with Markdown fences. */
  readonly fenced: number
  /** SHA-256 of all samples, in their order. */
  readonly digest: string
}

/** Iterates over all samples, any number of times. Holds one record in memory. */
export type SampleSource = () => AsyncIterable<GivenSample>

const MAX_SAMPLES = 1_000_000
/** Maximum number of unknown problems that an error names. */
const MAX_SHOWN_UNKNOWN = 5

/** The samples of a file, but for those of problems without tests. */
export function samplesOfFile(path: string, problems: ProblemSet): SampleSource {
  return async function* () {
    let index = 0
    const unknown = new Map<string, number>()
    for await (const { value, place } of sampleRecords(path, problems)) {
      const solutions = readSolutions(problems.dataset, value, place)
      for (const [number, solution] of solutions.entries()) {
        const problem = problems.find(solution.problem)
        if (problems.untested.has(solution.problem)) continue
        if (problem === undefined) unknown.set(solution.problem, place.line)
        else yield { index: index++, problem, solution, fields: fieldsOf(value, number, solution) }
      }
      if (unknown.size >= MAX_SHOWN_UNKNOWN) break
    }
    if (unknown.size === 0) return
    const names = [...unknown].map(([name, line]) => `${JSON.stringify(visible(name))} (line ${line})`)
    const more = unknown.size >= MAX_SHOWN_UNKNOWN ? ', and perhaps more' : ''
    throw new UsageError(`--samples: the data set has no ${names.join(', ')}${more}`)
  }
}

async function* sampleRecords(path: string, { dataset }: ProblemSet): AsyncGenerator<FileRecord> {
  const files = (await isProgramFolder(path)) ? readPrograms(path) : readRecords(path)
  for await (const { value, place } of files) {
    const records = solutionRecords(dataset, value)
    for (const [index, record] of records.entries()) {
      yield { value: record, place: records.length === 1 ? place : { ...place, line: index + 1 } }
    }
  }
}

/** The data set's own solutions. */
export function samplesOfReference(problems: ProblemSet): SampleSource {
  return async function* () {
    let index = 0
    for (const problem of problems.all()) {
      const solution = referenceOf(problem)
      if (solution === undefined) {
        throw new UsageError(
          `--reference: ${JSON.stringify(visible(problem.id))} has no reference solution in this data set`,
        )
      }
      yield { index: index++, problem, solution, fields: { task_id: problem.id } }
    }
  }
}

/**
 * Reads all samples once, so that errors in them are found before anything runs.
 *
 * @param language overrides the language of problems and samples
 */
export async function scanSamples(source: SampleSource, language: string | undefined): Promise<SampleScan> {
  const perProblem = new Map<string, number>()
  const languages = new Set<string>()
  const hash = createHash('sha256')
  let count = 0
  let fenced = 0
  for await (const { problem, solution } of source()) {
    count += 1
    if (count > MAX_SAMPLES) throw new UsageError(`--samples: must be at most ${MAX_SAMPLES} samples`)
    perProblem.set(problem.id, (perProblem.get(problem.id) ?? 0) + 1)
    const used = gradingLanguage(problem, solution, language)
    if (used !== undefined) languages.add(used)
    if (stripFences(solution.text) !== solution.text) fenced += 1
    hash.update(`${JSON.stringify([problem.id, solution])}\n`)
  }
  if (count === 0) throw new UsageError('--samples: must have at least one sample')
  return { count, perProblem, languages, fenced, digest: hash.digest('hex') }
}

/** The fields of one sample. A record with several completions becomes one record per completion, with its number. */
function fieldsOf(value: unknown, number: number, solution: Solution): Readonly<Record<string, unknown>> {
  const fields = value as Readonly<Record<string, unknown>>
  const list = SOLUTION_FIELDS.find((field) => Array.isArray(fields[field]))
  if (list === undefined) return fields
  const { [list]: _, ...others } = fields
  return { ...others, completion: solution.text, completion_id: number }
}
