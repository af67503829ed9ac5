import { createHash } from 'node:crypto'
import { type FieldProblem, InvalidJobError, type Job, parseJob } from '@isopod/protocol'
import { jobFingerprint, NO_RESULTS_QUEUE } from '@isopod/queue'
import { located } from '../parse-batch.ts'
import type { Sample } from './sample.ts'

const MAX_NAME_LENGTH = 256

/** A checked sample. */
export interface ParsedSample {
  readonly id: string
  readonly problem: string
  /** The job, or why its code was refused: the sample then fails, because a model wrote the code. */
  readonly job: Job | { readonly refusal: InvalidJobError }
}

/**
 * Checks a sample and adds the batch's fields to its job.
 *
 * @throws {InvalidJobError} naming sample and field, for everything but the code
 */
export function parseSample(given: Sample, batchId: string): ParsedSample {
  const { id, problem, job } = isObject(given) ? given : ({} as Partial<Sample>)
  if (!isName(id)) throw refused('samples', 'id', nameRule(id))
  const where = `samples[${JSON.stringify(id)}]`
  if (!isName(problem)) throw refused(where, 'problem', nameRule(problem))
  if (!isObject(job)) throw refused(where, 'job', 'must be an object')
  if (job.idempotencyKey !== undefined)
    throw refused(where, 'job.idempotencyKey', 'must be absent, as the batch makes its own')
  if (job.batchId !== undefined && job.batchId !== batchId) {
    throw refused(where, 'job.batchId', `must be ${batchId} or absent, got ${JSON.stringify(job.batchId)}`)
  }
  try {
    return { id, problem, job: parseJob({ replyTo: NO_RESULTS_QUEUE, ...job, batchId }) }
  } catch (error) {
    if (!(error instanceof InvalidJobError)) throw error
    const isOnlyCode = error.problems.every(({ field }) => field === 'code')
    if (isOnlyCode && typeof job.code === 'string') return { id, problem, job: { refusal: error } }
    throw new InvalidJobError(error.problems.map((each) => located(each, `${where}.job`)))
  }
}

/** Fingerprint of a sample: problem, job, and its place if it matters. */
export function sampleFingerprint(problem: string, job: Job, place: number | undefined): string {
  const parts = JSON.stringify([problem, place, jobFingerprint(job)])
  return createHash('sha256').update(parts).digest('hex').slice(0, 32)
}

function isObject<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME_LENGTH
}

function nameRule(given: unknown): string {
  const shown = typeof given === 'string' ? `${given.length} characters` : typeof given
  return `must be text of 1 to ${MAX_NAME_LENGTH} characters, got ${shown}`
}

function refused(where: string, field: string, message: string): InvalidJobError {
  const problem: FieldProblem = { field, message: `${field}: ${message}` }
  return new InvalidJobError([located(problem, where)])
}
