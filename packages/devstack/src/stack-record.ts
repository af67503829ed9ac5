import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Paths } from './paths.ts'
import type { ProcessIdentity } from './process/process-identity.ts'

/** One worker process that was started to outlive its starter. */
export interface WorkerRecord {
  readonly process: ProcessIdentity
  /** Where its health server listens. */
  readonly url: string
  readonly redisUrl: string
  readonly dockerHost: string
  readonly log: string
  /** Fingerprint of its build and its settings. */
  readonly settings: string
}

/** What set-up has started and what still runs, as far as is known. */
export interface StackRecord {
  readonly redis?: { readonly process: ProcessIdentity; readonly url: string }
  readonly engine?: {
    readonly dockerd: ProcessIdentity
    readonly containerd: ProcessIdentity
    readonly dockerHost: string
  }
  readonly workers: readonly WorkerRecord[]
  /** Engines that were there already and on which workers of this stack ran. */
  readonly visited: readonly string[]
}

const EMPTY: StackRecord = { workers: [], visited: [] }

/** Reads the record; a missing or damaged file counts as «nothing was started». */
export async function readRecord(paths: Paths): Promise<StackRecord> {
  try {
    const found: unknown = JSON.parse(await readFile(paths.record, 'utf8'))
    return typeof found === 'object' && found !== null ? { ...EMPTY, ...found } : EMPTY
  } catch {
    return EMPTY
  }
}

/** Changes the record in one rename, so that a reader never sees half of it. Call it with the stack's lock held. */
export async function updateRecord(
  paths: Paths,
  change: (record: StackRecord) => StackRecord,
): Promise<StackRecord> {
  const next = change(await readRecord(paths))
  const draft = `${paths.record}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, paths.record)
  return next
}
