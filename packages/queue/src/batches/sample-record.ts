import { TerminalError } from '@isopod/protocol'

/** What is kept of one sample of a batch once it has an outcome; its result stays where every result is, under the job's id. */
export interface SampleRecord {
  readonly outcome: 'passed' | 'failed' | 'fault'
  /** How often it was submitted again, each time under another id. */
  readonly retries: number
  /** What the sample is, so that another one under the same id is noticed: hexadecimal digits. */
  readonly fingerprint: string
  /** Of the job that the outcome is from; empty if none was made. */
  readonly jobId: string
}

const OUTCOMES = { passed: 'p', failed: 'f', fault: 'x' } as const
const LETTERS = { p: 'passed', f: 'failed', x: 'fault' } as const

/** Writes a record as some sixty characters: a batch has thousands. */
export function encodeRecord({ outcome, retries, fingerprint, jobId }: SampleRecord): string {
  return `${OUTCOMES[outcome]}${retries}:${fingerprint}:${jobId}`
}

/**
 * Reads what {@link encodeRecord} wrote.
 *
 * @throws {TerminalError} if it is something else
 */
export function decodeRecord(text: string): SampleRecord {
  const [, letter, retries, fingerprint = '', jobId = ''] =
    /^([pfx])(\d{1,9}):([0-9a-f]*):([A-Za-z0-9_-]*)$/.exec(text) ?? []
  if (letter !== 'p' && letter !== 'f' && letter !== 'x') {
    throw new TerminalError('what is stored is not the record of a sample')
  }
  return { outcome: LETTERS[letter], retries: Number(retries), fingerprint, jobId }
}
