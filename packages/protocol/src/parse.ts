import type { z } from 'zod'
import { type FieldProblem, InvalidJobError } from './errors.ts'
import { type Job, jobSchema, unavailableFeatures } from './job.ts'
import { unknownFieldRule } from './schema.ts'
import { printable, show, showThrown } from './show.ts'

/** Longest name of a field in a path: files may be called what they like, up to this. */
const NAMED_CHARACTERS = 255
/** Refused fields that are named one by one. */
const SHOWN_PROBLEMS = 20

/**
 * Turns anything into a validated {@link Job}.
 *
 * @param input what a caller gave; nothing about it is trusted
 * @throws {InvalidJobError} and nothing else: one sentence per refused field, naming it, what is allowed and what was given
 */
export function parseJob(input: unknown): Job {
  const parsed = safeParse(input)
  if (!parsed.success) throw new InvalidJobError(describeProblems(parsed.error, input))
  const unavailable = unavailableFeatures(parsed.data)
  if (unavailable.length > 0) throw new InvalidJobError(unavailable)
  return parsed.data
}

/**
 * Turns each issue that zod found into a sentence; also used for settings, catalogues and requests.
 *
 * @param whole what a sentence calls the input where it names no field
 */
export function describeProblems(error: z.ZodError, input: unknown, whole = 'job'): FieldProblem[] {
  // A value can break two bounds of one rule («whole», «at most»); the sentence says both already.
  const problems = new Map<string, FieldProblem>()
  let more = 0
  for (const describe of error.issues.flatMap((issue) => describers(issue, input, whole))) {
    // What a hostile object names must not fill a log.
    if (problems.size === SHOWN_PROBLEMS) more++
    else {
      const entry = describe()
      problems.set(entry.message, entry)
    }
  }
  return [...problems.values(), ...(more === 0 ? [] : [{ field: '', message: `and ${more} more` }])]
}

/** One function per sentence of an issue, because most of very many are never written. */
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
    // Getters and proxies of the caller's objects can throw while they are read.
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
  // A rule that is a sentence of its own («Code cannot be empty») is not decorated.
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
    // It could be read once, but not again.
    return 'a value that cannot be read'
  }
}
