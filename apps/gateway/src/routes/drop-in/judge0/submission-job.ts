import { findLanguage, type LanguageSummary } from '@isopod/protocol'
import type { CallbackRule } from '../../../callback-rule.ts'
import type { UncheckedJob } from '../../../submissions.ts'
import { base64File, decodeBytes, decodeText } from '../base64.ts'
import { checkedJob, type DropInFieldError, parseFields, refusedFields } from '../field-errors.ts'
import { JUDGE0_LANGUAGES, languageOfId } from './languages.ts'
import { JUDGE0_FIELD_NAMES } from './refusals.ts'
import { splitWords } from './split-words.ts'
import { DEFAULTS } from './submission-limits.ts'
import { BLANK, type Submission, submissionSchema } from './submission-schema.ts'
import { unzip } from './unzip.ts'

/** Labels that carry attributes of a submission to the result, because nothing else stores them. */
export const JUDGE0_LABELS = { languageId: 'judge0.language_id', createdAt: 'judge0.created_at' } as const

/** Context of the submissions of one request. */
export interface SubmissionContext {
  /** `source_code`, `stdin` and `expected_output` are base64. */
  readonly base64: boolean
  /** The languages that workers offer; undefined if no worker has ever been connected. */
  readonly offered: readonly LanguageSummary[] | undefined
  readonly createdAt: Date
  readonly callbackRule: CallbackRule
}

/**
 * Turns a submission into a job.
 *
 * @throws {RequestRefused} 422 naming the fields as Judge0 does
 */
export async function jobOfSubmission(input: unknown, context: SubmissionContext): Promise<UncheckedJob> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw refusedFields([{ field: 'submission', message: 'must be an object' }])
  }
  const submission = parseFields(submissionSchema, input)
  const errors: DropInFieldError[] = []
  const language = chosenLanguage(submission, context.offered, errors)
  const texts = decodedTexts(submission, context.base64, errors)
  const args = words(submission, 'command_line_arguments', errors)
  const compileArgs = words(submission, 'compiler_options', errors)
  if (compileArgs.length > 0 && !JUDGE0_LANGUAGES[language ?? '']?.compilerOptions) {
    const message = 'setting compiler options is only allowed for compiled languages'
    errors.push({ field: 'compiler_options', message })
  }
  const files = await additionalFiles(submission, errors)
  const callbackUrl = submission.callback_url || undefined
  const problem = callbackUrl && context.callbackRule(callbackUrl)
  if (problem) errors.push({ field: 'callback_url', message: problem })
  if (errors.length > 0) throw refusedFields(errors)
  const { stdin, expected } = texts
  return checkedJob(
    {
      language: language ?? '',
      code: texts.code,
      ...(stdin !== undefined && { stdin }),
      ...(files !== undefined && { files }),
      ...(args.length > 0 && { args }),
      ...(compileArgs.length > 0 && { compileArgs }),
      ...(expected !== undefined && { tests: [{ expected, checker: 'trimmed' as const }] }),
      ...(callbackUrl !== undefined && { callbackUrl }),
      limits: limitsOf(submission),
      labels: {
        [JUDGE0_LABELS.languageId]: String(submission.language_id),
        [JUDGE0_LABELS.createdAt]: context.createdAt.toISOString(),
      },
    },
    JUDGE0_FIELD_NAMES,
  )
}

function chosenLanguage(
  { language_id: id }: Submission,
  offered: SubmissionContext['offered'],
  errors: DropInFieldError[],
): string | undefined {
  const name = id === undefined || id === null ? undefined : languageOfId(id)
  if (name !== undefined && (offered === undefined || findLanguage(offered, name) !== undefined)) return name
  const message = id === undefined || id === null ? BLANK : `language with id ${id} doesn't exist`
  errors.push({ field: 'language_id', message })
  return undefined
}

function decodedTexts(submission: Submission, base64: boolean, errors: DropInFieldError[]) {
  const decoded = (field: 'source_code' | 'stdin' | 'expected_output') => {
    const given = submission[field] ?? undefined
    if (given === undefined || !base64) return given
    const text = decodeText(given)
    if (text === undefined) errors.push({ field, message: 'must be base64 of UTF-8 text' })
    return text
  }
  const code = decoded('source_code')
  const isRefused = errors.some(({ field }) => field === 'source_code')
  if (!code?.trim() && !isRefused) errors.push({ field: 'source_code', message: BLANK })
  return { code: code ?? '', stdin: decoded('stdin'), expected: decoded('expected_output') }
}

function words(
  submission: Submission,
  field: 'command_line_arguments' | 'compiler_options',
  errors: DropInFieldError[],
): string[] {
  const split = splitWords(submission[field] ?? '')
  if (split === undefined) errors.push({ field, message: 'has a quote that is not closed' })
  return split ?? []
}

async function additionalFiles({ additional_files: given }: Submission, errors: DropInFieldError[]) {
  if (!given) return undefined
  const archive = decodeBytes(given)
  const unzipped = archive === undefined ? { problem: 'must be valid base64' } : await unzip(archive)
  if ('files' in unzipped) {
    return Object.fromEntries([...unzipped.files].map(([path, bytes]) => [path, base64File(bytes)]))
  }
  errors.push({ field: 'additional_files', message: unzipped.problem })
  return undefined
}

function limitsOf(submission: Submission) {
  const { memory_limit: memoryKb, max_processes_and_or_threads: processes } = submission
  return {
    cpuSeconds: submission.cpu_time_limit ?? DEFAULTS.cpuSeconds,
    timeoutSeconds: submission.wall_time_limit ?? DEFAULTS.wallSeconds,
    // The language's default leaves room for its compiler.
    ...(memoryKb !== undefined && memoryKb !== null && { memoryMb: Math.ceil(memoryKb / 1024) }),
    ...(processes !== undefined && processes !== null && { processes: Math.floor(processes) }),
    outputBytes: Math.floor((submission.max_file_size ?? DEFAULTS.fileKb) * 1024),
    onOverflow: 'kill' as const,
  }
}
