import { isUtf8 } from 'node:buffer'
import { type Result, signalNumber } from '@isopod/protocol'
import { encodeLines } from '../base64.ts'
import { JUDGE0_STATUSES, statusIdOf } from './statuses.ts'
import { JUDGE0_LABELS } from './submission-job.ts'

/** Attributes of a submission that can be read. Submitted attributes are not stored and cannot be read back. */
export const SUBMISSION_FIELDS = [
  'token',
  'time',
  'memory',
  'stdout',
  'stderr',
  'compile_output',
  'message',
  'status',
  'status_id',
  'language_id',
  'exit_code',
  'exit_signal',
  'wall_time',
  'created_at',
  'finished_at',
] as const

/** One attribute of a submission. */
export type SubmissionField = (typeof SUBMISSION_FIELDS)[number]

/** The attributes for a request without `fields`. */
export const DEFAULT_FIELDS = SUBMISSION_FIELDS.slice(0, 8)
const TEXTS: readonly SubmissionField[] = ['stdout', 'stderr', 'compile_output', 'message']

/** A submission that exists; it has a result once it is finished. */
export interface KnownSubmission {
  readonly token: string
  readonly state: 'waiting' | 'running' | 'finished'
  readonly result: Result | undefined
}

/** Parses `fields`: empty means the default eight, `*` all. Returns the unknown names if there are any. */
export function requestedFields(
  text: string | undefined,
): { fields: readonly SubmissionField[] } | { unknown: readonly string[] } {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0) return { fields: DEFAULT_FIELDS }
  if (names.includes('*')) return { fields: SUBMISSION_FIELDS }
  const fields = SUBMISSION_FIELDS.filter((field) => names.includes(field))
  const unknown = names.filter((name) => !fields.some((field) => field === name))
  return unknown.length > 0 ? { unknown } : { fields }
}

/**
 * The attributes of a submission.
 *
 * @returns undefined if one of them is not UTF-8 and `base64` is false
 */
export function submissionView(
  known: KnownSubmission,
  fields: readonly SubmissionField[],
  base64: boolean,
): Record<string, unknown> | undefined {
  const attributes = attributesOf(known)
  const view: Record<string, unknown> = {}
  for (const field of fields) {
    const value = attributes[field]
    if (!TEXTS.includes(field) || !(value instanceof Uint8Array)) view[field] = value
    else if (base64) view[field] = encodeLines(value)
    else if (isUtf8(value)) view[field] = Buffer.from(value).toString('utf8')
    else return undefined
  }
  return view
}

function attributesOf({ token, state, result }: KnownSubmission): Record<SubmissionField, unknown> {
  const statusId = result === undefined ? (state === 'waiting' ? 1 : 2) : statusIdOf(result)
  const ran = result?.status === 'compile_error' ? undefined : result
  return {
    token,
    time: ran === undefined ? null : seconds(plus(ran.cpuUserMs, ran.cpuSysMs)),
    wall_time: seconds(ran?.wallMs ?? null),
    memory: ran?.memoryPeakBytes ? Math.ceil(ran.memoryPeakBytes / 1024) : null,
    stdout: ran === undefined ? null : bytesOf(ran.stdout, ran.raw?.stdout),
    stderr: ran === undefined ? null : bytesOf(ran.stderr, ran.raw?.stderr),
    compile_output: bytesOf(result?.compileOutput ?? ''),
    // Our message for a wrong answer contains the expected output, which a frontend would show. Judge0 has no message.
    message: bytesOf(ran?.status === 'success' ? '' : (ran?.errorMessage ?? '')),
    status: JUDGE0_STATUSES[statusId - 1],
    status_id: statusId,
    language_id: result?.labels?.[JUDGE0_LABELS.languageId]
      ? Number(result.labels[JUDGE0_LABELS.languageId])
      : null,
    exit_code: ran?.exitCode ?? null,
    exit_signal: ran?.signal ? (signalNumber(ran.signal) ?? null) : null,
    created_at: result?.labels?.[JUDGE0_LABELS.createdAt] ?? null,
    finished_at: finishedAt(result),
  }
}

/** The bytes of a stream; null if it is empty, as in Judge0. @param raw base64 of a stream that is not UTF-8 */
function bytesOf(text: string, raw?: string): Uint8Array | null {
  const bytes = raw === undefined ? Buffer.from(text) : Buffer.from(raw, 'base64')
  return bytes.byteLength === 0 ? null : bytes
}

/** Judge0 writes decimal numbers as text. */
function seconds(milliseconds: number | null): string | null {
  return milliseconds === null ? null : (milliseconds / 1000).toFixed(3)
}

function plus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}

/** The time of submit plus the durations of all stages, which follow each other. */
function finishedAt(result: Result | undefined): string | null {
  const createdAt = Date.parse(result?.labels?.[JUDGE0_LABELS.createdAt] ?? '')
  if (result === undefined || Number.isNaN(createdAt)) return null
  const took = Object.values(result.timings).reduce((sum, stage) => sum + stage, 0)
  const finished = new Date(createdAt + took)
  // The caller sets the label, so the sum may exceed the range of dates.
  return Number.isNaN(finished.getTime()) ? null : finished.toISOString()
}
