import { type FieldProblem, InvalidJobError, type Job, parseJob } from '@isopod/protocol'

/** Problems that one error reports; a batch of thousands may be wrong in thousands of places. */
const MAX_REPORTED = 20

/**
 * Validates a whole batch.
 *
 * @throws {InvalidJobError} whose problems name the job by its place: `jobs[3].limits.memoryMb`
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

/** Says of a job's problem which job it is that has it: `jobs[3]`, say. */
export function located({ field, message }: FieldProblem, where: string): FieldProblem {
  return {
    field: field === '' ? where : `${where}.${field}`,
    // «Code cannot be empty» is a sentence of its own, and «job: must be an object» names the job already.
    message: field !== '' && message.startsWith(field) ? `${where}.${message}` : `${where}: ${message}`,
  }
}
