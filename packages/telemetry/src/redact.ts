/** What stands in place of a blanked value. */
export const CENSORED = '[redacted]'

/** What a program is and does belongs to its tenant; the audit line has its SHA-256. */
const PROGRAM_FIELDS = [
  'code',
  'files',
  'stdin',
  'inputData',
  'stdout',
  'stderr',
  'compileOutput',
  'raw',
  'tests',
]
const SECRET_FIELDS = ['password', 'secret', 'token', 'apiKey', 'authorization', 'cookie']

/** What usually holds a program in a log entry. Not any object: `err.code` is what an operator looks for. */
const PROGRAM_HOLDERS = ['job', 'execution', 'result', 'outcome']

/** Paths that pino blanks. */
export const REDACTED_PATHS: string[] = [
  ...PROGRAM_FIELDS.flatMap((field) => [field, ...PROGRAM_HOLDERS.map((holder) => `${holder}.${field}`)]),
  ...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
]

/** A URL less its user and password; anything else as it is. */
export function withoutCredentials(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(\w:\/\/)[^/?#]*@/, `$1${CENSORED}@`) : value
}
