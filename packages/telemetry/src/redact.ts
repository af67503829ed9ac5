/** Replaces a redacted value. */
export const CENSORED = '[redacted]'

/** Fields with the content of a job; the audit line has the SHA-256 of the code. */
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

/** Objects of a log entry that usually contain jobs. Not all objects: operators need `err.code`. */
const PROGRAM_HOLDERS = ['job', 'execution', 'result', 'outcome']

/** Paths that pino redacts. */
export const REDACTED_PATHS: string[] = [
  ...PROGRAM_FIELDS.flatMap((field) => [field, ...PROGRAM_HOLDERS.map((holder) => `${holder}.${field}`)]),
  ...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
]

/** Removes user and password from a URL; returns other values unchanged. */
export function withoutCredentials(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(\w:\/\/)[^/?#]*@/, `$1${CENSORED}@`) : value
}
