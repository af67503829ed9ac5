import { type FieldProblem, InvalidJobError, type Job, parseJob } from '@isopod/protocol'

/** Maximum number of problems in one error; a batch may have thousands. */
const MAX_REPORTED = 20

/**
 * Validates a list of jobs.
 *
 * @throws {InvalidJobError} whose problems name the job by its index: `jobs[3].limits.memoryMb`
 */
export function parseBatch(jobs: readonly unknown[]): Job[] {
  if (!Array.isArray(jobs)) {
    throw new InvalidJobError([{ field: 'jobs', message: `jobs: must be a list, got ${typeof jobs}` }])
  }
  const problems: FieldProblem[] = []
  const parsed: Job[] = []
  for (const [index, job] of jobs.entries()) {
    try {
      parsed.push(parseJob(job))
    } catch (error) {
      if (!(error instanceof InvalidJobError)) throw error
      problems.push(...error.problems.map((problem) => located(problem, `jobs[${index}]`)))
      if (problems.length >= MAX_REPORTED) break
    }
  }
  if (problems.length > 0) throw new InvalidJobError(problems.slice(0, MAX_REPORTED))
  return parsed
}

/** Adds the place of the job, for example `jobs[3]`, to one of its problems. */
export function located({ field, message }: FieldProblem, where: string): FieldProblem {
  return {
    field: field === '' ? where : `${where}.${field}`,
    // Not every message starts with its field: "Code cannot be empty", for example.
    message: field !== '' && message.startsWith(field) ? `${where}.${message}` : `${where}: ${message}`,
  }
}
