import type { z } from 'zod'
import { type FieldProblem, InvalidJobError } from './errors.ts'
import { type Job, jobSchema, unavailableFeatures } from './job.ts'

/** Longest part of a refused value that a message repeats, in characters. */
const SHOWN_CHARACTERS = 40
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

/** Turns each issue that zod found into a sentence; also used for settings and catalogues. */
export function describeProblems(error: z.ZodError, input: unknown): FieldProblem[] {
  const problems = error.issues.flatMap((issue): FieldProblem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => problem([...issue.path, printable(key)], issue.message))
    }
    if (issue.code === 'invalid_key') return [problem(issue.path.map(printable), issue.message)]
    return [problem(issue.path, issue.message, { given: valueAt(input, issue.path) })]
  })
  // A value can break two bounds of one rule («whole», «at most»); the sentence says both already.
  return shortened([...new Map(problems.map((entry) => [entry.message, entry])).values()])
}

/** Keeps the first problems and says how many more there are: what a hostile object names must not fill a log. */
function shortened(problems: FieldProblem[]): FieldProblem[] {
  if (problems.length <= SHOWN_PROBLEMS) return problems
  const message = `and ${problems.length - SHOWN_PROBLEMS} more`
  return [...problems.slice(0, SHOWN_PROBLEMS), { field: '', message }]
}

function safeParse(input: unknown): z.ZodSafeParseResult<Job> {
  try {
    return jobSchema.safeParse(input)
  } catch (cause) {
    // Getters, proxies and cycles of the caller's objects can throw while they are read.
    const message = String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0]
    throw new InvalidJobError([{ field: '', message: `job: cannot be read (${message})` }])
  }
}

function problem(path: readonly PropertyKey[], rule: string, value?: { given: unknown }): FieldProblem {
  const field = path.map(String).join('.')
  // A rule that is a sentence of its own («Code cannot be empty») is not decorated.
  if (/^[A-Z]/.test(rule)) return { field, message: rule }
  const given = value === undefined ? '' : `, got ${show(value.given)}`
  return { field, message: `${field || 'job'}: ${rule}${given}` }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  )
}

/** A refused value, short and on one line. */
function show(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing'
    case 'string':
      return value.length > SHOWN_CHARACTERS ? `text of ${value.length} characters` : JSON.stringify(value)
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value)
        ? `a list of ${value.length}`
        : `an object of ${Object.keys(value).length} fields`
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    default:
      return String(value)
  }
}

/** A key that a caller chose, safe to print: control characters escaped, long ones cut. */
function printable(key: PropertyKey): string {
  const text = JSON.stringify(String(key)).slice(1, -1)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
