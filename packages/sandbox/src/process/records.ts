import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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
  /** A place that waits for its sandbox. @default false */
  readonly isSpare?: boolean
}

/** Records of the sandboxes of all workers of this host, one file each, written before their cgroups are made. */
export class SandboxRecords {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  add(id: string, record: SandboxRecord): void {
    const file = join(this.#directory, id)
    // Whole or not at all: a reaper may read at any time.
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  remove(id: string): void {
    rmSync(join(this.#directory, id), { force: true })
  }

  /** All records by id; one that cannot be read is left out. */
  all(): Map<string, SandboxRecord> {
    const found = new Map<string, SandboxRecord>()
    for (const id of readdirSync(this.#directory)) {
      const record = id.endsWith('.new') ? undefined : this.#read(id)
      if (record !== undefined) found.set(id, record)
    }
    return found
  }

  #read(id: string): SandboxRecord | undefined {
    try {
      // Written by workers only, into a directory that belongs to their user.
      return JSON.parse(readFileSync(join(this.#directory, id), 'utf8')) as SandboxRecord
    } catch {
      return undefined
    }
  }
}
