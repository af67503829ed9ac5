import { readFileSync } from 'node:fs'
import type { JobInput } from '@isopod/client'
import { gradingJob, ProblemSet, readSolutions } from '@isopod/grading'

/** One program, its tests, and the verdict that it must get because of how it was written. */
export interface LanguageSample {
  readonly job: JobInput
  readonly verdict: string
  /** Marks a wrong sample that ends with exit code 0, so that a plain toolchain would accept it. */
  readonly escapes: boolean
  /** Text between code and script with a plain toolchain, where the code leaves the language, as PHP's does with `?>`. */
  readonly between?: string
}

type Line = Readonly<Record<string, unknown>>

/** The samples of test/data by language. */
export function languageSamples(): ReadonlyMap<string, readonly LanguageSample[]> {
  return Map.groupBy([...programs(), ...scripts()], ({ job }) => String(job.language))
}

/** Names of the languages that have samples with assertions. */
export function languagesWithScripts(): ReadonlySet<unknown> {
  return new Set(lines('many-languages-scripts.jsonl').map((line) => line['language']))
}

/** Samples of problems that read and print. */
function programs(): LanguageSample[] {
  const problems = new ProblemSet('stdin-tests')
  const file = 'many-languages.jsonl'
  for (const [index, line] of lines(file).entries()) problems.add(line, { file, line: index + 1 })
  return lines('many-languages-samples.jsonl').flatMap((line, index) =>
    readSolutions('stdin-tests', line, { file: 'many-languages-samples.jsonl', line: index + 1 }).map(
      (solution) => {
        const problem = problems.find(solution.problem)
        if (problem === undefined) throw new Error(`no problem ${solution.problem}`)
        return { job: gradingJob(problem, solution), verdict: String(line['verdict']), escapes: false }
      },
    ),
  )
}

/** Samples with assertions, composed like those of MultiPL-E. */
function scripts(): LanguageSample[] {
  return lines('many-languages-scripts.jsonl').map((line) => ({
    job: {
      language: String(line['language']),
      code: String(line['code']),
      tests: [{ script: String(line['script']) }],
      limits: { timeoutSeconds: 20, cpus: 1 },
    },
    verdict: String(line['verdict']),
    escapes: line['escapes'] === true,
    between: String(line['between'] ?? ''),
  }))
}

function lines(name: string): Line[] {
  const text = readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8').trimEnd()
  return text.split('\n').map((line) => JSON.parse(line) as Line)
}
