import { TerminalError } from '@isopod/protocol'

/** The record of a sample of a batch that has an outcome; its result is stored under the job's id. */
export interface SampleRecord {
  readonly outcome: 'passed' | 'failed' | 'judge_error' | 'fault'
  /** How often it was submitted again, each time with another id. */
  readonly retries: number
  /** Fingerprint of the sample, to notice another one with the same id: hexadecimal digits. */
  readonly fingerprint: string
  /** Id of the job with the outcome; empty if there was none. */
  readonly jobId: string
}

const OUTCOMES = { passed: 'p', failed: 'f', judge_error: 'j', fault: 'x' } as const
const LETTERS = { p: 'passed', f: 'failed', j: 'judge_error', x: 'fault' } as const

/** Encodes a record in about sixty characters, as a batch has thousands. */
export function encodeRecord({ outcome, retries, fingerprint, jobId }: SampleRecord): string {
  return `${OUTCOMES[outcome]}${retries}:${fingerprint}:${jobId}`
}

/**
 * Decodes a record of {@link encodeRecord}.
 *
 * @throws {TerminalError} if it is something else
 */
export function decodeRecord(text: string): SampleRecord {
  const [, letter, retries, fingerprint = '', jobId = ''] =
    /^([pfjx])(\d{1,9}):([0-9a-f]*):([A-Za-z0-9_-]*)$/.exec(text) ?? []
  if (letter !== 'p' && letter !== 'f' && letter !== 'j' && letter !== 'x') {
    throw new TerminalError('the stored value is not the record of a sample')
  }
  return { outcome: LETTERS[letter], retries: Number(retries), fingerprint, jobId }
}
