import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Paths } from './paths.ts'
import type { ProcessIdentity } from './process/process-identity.ts'

/** A worker process that outlives the process that started it. */
export interface WorkerRecord {
  readonly process: ProcessIdentity
  /** URL of its health server. */
  readonly url: string
  readonly redisUrl: string
  /** Absent with the process driver. */
  readonly dockerHost?: string
  readonly log: string
  /** Fingerprint of its build and its settings. */
  readonly settings: string
}

/** The services that set-up has started. */
export interface StackRecord {
  readonly redis?: { readonly process: ProcessIdentity; readonly url: string }
  readonly engine?: {
    readonly dockerd: ProcessIdentity
    readonly containerd: ProcessIdentity
    readonly dockerHost: string
  }
  readonly workers: readonly WorkerRecord[]
  /** Engines of others on which workers of this stack ran. */
  readonly visited: readonly string[]
}

const EMPTY: StackRecord = { workers: [], visited: [] }

/** Reads the record. A missing or damaged file counts as empty. */
export async function readRecord(paths: Paths): Promise<StackRecord> {
  try {
    const found: unknown = JSON.parse(await readFile(paths.record, 'utf8'))
    return typeof found === 'object' && found !== null ? { ...EMPTY, ...found } : EMPTY
  } catch {
    return EMPTY
  }
}

/** Changes the record atomically. Call it with the stack's lock held. */
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
