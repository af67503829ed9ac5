import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cgroup } from './cgroup-tree.ts'

/** Ending of a file that is being written, and after how many milliseconds it counts as left by a crash. */
const DRAFT = '.new'
const DRAFT_LIFE_MS = 60_000

/** What the reaper of any worker needs to know about a sandbox. */
export interface SandboxRecord {
  readonly deployment: string
  readonly owner: string
  readonly job: string
  readonly attempt: number
  /** Epoch milliseconds after which any reaper may remove it. */
  readonly deadline: number
  /** Directories of its cgroup, by controller; another worker's own cgroup may lie elsewhere. */
  readonly cgroup: Readonly<Record<string, string>>
  /** Directories of the worker, removed once it is gone and they are empty. @default none */
  readonly folders?: readonly string[]
  /** A place that waits for its sandbox. @default false */
  readonly isSpare?: boolean
}

/** The parts of a record that say where its cgroup is. */
export function placeInCgroups({
  directories,
  folders,
}: Pick<Cgroup, 'directories' | 'folders'>): Pick<SandboxRecord, 'cgroup' | 'folders'> {
  return { cgroup: Object.fromEntries(directories), folders }
}

/** What stands for a record that cannot be read. */
const UNREADABLE = { deployment: '', owner: '', job: '', attempt: 0, cgroup: {} } as const

/** Records of the sandboxes of all workers of this host, one file each, written before their cgroups are made. */
export class SandboxRecords {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  add(id: string, record: SandboxRecord): void {
    const file = join(this.#directory, id)
    const draft = `${file}${DRAFT}`
    // Whole or not at all: a reaper may read at any time.
    try {
      writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
      renameSync(draft, file)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
  }

  remove(id: string): void {
    rmSync(join(this.#directory, id), { force: true })
  }

  /**
   * All records by id. One that cannot be read belongs to no deployment, so that any reaper removes it. Removes what a crashed worker
   * has not written to the end.
   */
  all(): Map<string, SandboxRecord> {
    const found = new Map<string, SandboxRecord>()
    for (const entry of readdirSync(this.#directory, { withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(this.#directory, entry.name)
      // Another worker may remove it at any time.
      const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
      if (writtenAt === undefined) continue
      if (!entry.name.endsWith(DRAFT))
        found.set(entry.name, read(file) ?? { ...UNREADABLE, deadline: writtenAt })
      else if (writtenAt < Date.now() - DRAFT_LIFE_MS) rmSync(file, { force: true })
    }
    return found
  }
}

function read(file: string): SandboxRecord | undefined {
  try {
    // Written by workers only, into a directory that belongs to their user. A crash of the host can damage it.
    const record = JSON.parse(readFileSync(file, 'utf8')) as SandboxRecord
    const { deployment, owner, deadline, cgroup, folders = [] } = record
    const texts = [deployment, owner, ...Object.values(cgroup), ...folders]
    return texts.every((each) => typeof each === 'string') && Number.isFinite(deadline) ? record : undefined
  } catch {
    return undefined
  }
}
