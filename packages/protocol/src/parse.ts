import type { z } from 'zod'
import { type FieldProblem, InvalidJobError } from './errors.ts'
import { type Job, jobSchema, unavailableFeatures } from './job.ts'
import { unknownFieldRule } from './schema.ts'
import { printable, show, showThrown } from './show.ts'

/** Maximum shown length of a field name in a path; file names can be long. */
const NAMED_CHARACTERS = 255
/** Maximum number of refused fields to name. */
const MAX_SHOWN_PROBLEMS = 20

/**
 * Validates a job.
 *
 * @param input untrusted
 * @throws {InvalidJobError} and nothing else: one sentence per refused field, with what is allowed and what was given
 */
export function parseJob(input: unknown): Job {
  const parsed = safeParse(input)
  if (!parsed.success) throw new InvalidJobError(describeProblems(parsed.error, input))
  const unavailable = unavailableFeatures(parsed.data)
  if (unavailable.length > 0) throw new InvalidJobError(unavailable)
  return parsed.data
}

/**
 * Turns zod issues into sentences; also used for settings, catalogues and requests.
 *
 * @param whole name of the input in sentences that name no field
 */
export function describeProblems(error: z.ZodError, input: unknown, whole = 'job'): FieldProblem[] {
  // A value can violate two bounds of one rule ("whole", "at most"), whose sentence names both.
  const problems = new Map<string, FieldProblem>()
  let more = 0
  for (const describe of error.issues.flatMap((issue) => describers(issue, input, whole))) {
    // A hostile object must not fill a log.
    if (problems.size === MAX_SHOWN_PROBLEMS) more++
    else {
      const entry = describe()
      problems.set(entry.message, entry)
    }
  }
  return [...problems.values(), ...(more === 0 ? [] : [{ field: '', message: `and ${more} more` }])]
}

/** One function per sentence of an issue, because of very many only the first are used. */
function describers(issue: z.core.$ZodIssue, input: unknown, whole: string): (() => FieldProblem)[] {
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => () => problem(path, unknownFieldRule(message, key), { unknown: key }, whole),
    )
  }
  if (issue.code === 'invalid_key')
    return [() => problem(path.slice(0, -1), message, { unknown: path.at(-1) }, whole)]
  return [() => problem(path, message, { given: showAt(input, path) }, whole)]
}

function safeParse(input: unknown): z.ZodSafeParseResult<Job> {
  try {
    return jobSchema.safeParse(input)
  } catch (cause) {
    // The caller's getters and proxies can throw.
    throw new InvalidJobError([{ field: '', message: `job: cannot be read (${showThrown(cause)})` }])
  }
}

function problem(
  path: readonly PropertyKey[],
  rule: string,
  about: { given: string } | { unknown: PropertyKey | undefined },
  whole: string,
): FieldProblem {
  const names = path.map((key) => printable(String(key), NAMED_CHARACTERS))
  const unknown = 'unknown' in about ? [printable(String(about.unknown))] : []
  const field = [...names, ...unknown].join('.')
  // A rule that is a whole sentence ("Code cannot be empty") stays as it is.
  if (/^[A-Z]/.test(rule)) return { field, message: rule }
  const given = 'given' in about ? `, got ${about.given}` : ''
  return { field, message: `${field || whole}: ${rule}${given}` }
}

function showAt(input: unknown, path: readonly PropertyKey[]): string {
  try {
    return show(
      path.reduce<unknown>(
        (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
        input,
      ),
    )
  } catch {
    // A getter that worked once can throw the second time.
    return 'a value that cannot be read'
  }
}
