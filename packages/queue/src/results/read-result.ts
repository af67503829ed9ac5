import { type StoredResult, storedResultSchema, TerminalError } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import { noteTaken } from './untaken-results.ts'

/** How a result is read. */
export interface ReadOptions {
  /** Leave outputs over 64 KiB where they are stored apart, and keep their first part, marked as truncated. @default false */
  readonly shortened?: boolean | undefined
}

/** Reads a stored result; undefined if there is none, or if it has expired. */
export async function readResult(redis: Redis, keys: Keys, id: string): Promise<StoredResult | undefined> {
  const text = await redis.get(keys.result(id))
  return text === null ? undefined : parseResult(JSON.parse(text))
}

/** Reads the result for a caller, who takes it: see {@link noteTaken}. */
export async function takeResult(redis: Redis, keys: Keys, id: string): Promise<StoredResult | undefined> {
  const result = await readResult(redis, keys, id)
  if (result !== undefined) noteTaken(redis, keys, id)
  return result
}

/**
 * Validates a stored result.
 *
 * @throws {TerminalError} if it is not a result: another program or an incompatible release wrote it
 */
export function parseResult(data: unknown): StoredResult {
  const parsed = storedResultSchema.safeParse(data)
  if (parsed.success) return parsed.data
  const { path = [], message = '' } = parsed.error.issues[0] ?? {}
  throw new TerminalError(
    `the stored value is not a result (${path.map(String).join('.') || 'result'}: ${message})`,
    { publicMessage: 'the stored value is not a result' },
  )
}
