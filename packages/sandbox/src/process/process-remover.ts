import { removeEmpty } from './cgroup-files.ts'
import type { CgroupTree } from './cgroup-tree.ts'
import type { SandboxRecord, SandboxRecords } from './records.ts'
import type { SandboxPlace } from './sandbox-places.ts'
import type { Timed } from './timed.ts'

/** Options of a {@link ProcessRemover}. */
export interface ProcessRemoverOptions {
  readonly cgroups: CgroupTree
  readonly records: SandboxRecords
  readonly timed: Timed
  readonly onFailure: (container: string, error: unknown) => void
}

/** Removes sandboxes in the background: processes first, then the cgroup, then the record. */
export class ProcessRemover {
  readonly #options: ProcessRemoverOptions
  readonly #pending = new Map<string, Promise<boolean>>()

  constructor(options: ProcessRemoverOptions) {
    this.#options = options
  }

  /** Number of sandboxes that are being removed. */
  get size(): number {
    return this.#pending.size
  }

  /** Ends and removes a sandbox of this worker. @param afterwards called once when it is gone */
  remove({ id, process, cgroup }: SandboxPlace, afterwards: () => void, ending?: Promise<void>): void {
    const end = async () => {
      await ending
      // Init, whose end the kernel passes on to every other process.
      process.kill()
      // Without the spawner nothing tells of the end; the cgroup has every process that is left.
      await process.ended.catch(() => {})
    }
    void this.#track({ id, cgroup }, end, afterwards)
  }

  /**
   * Removes what another worker, or an earlier failure, left of a sandbox.
   *
   * @param isOwnerGone whether its worker can no longer remove the directories above the cgroup; with other cgroups in them they stay
   * @returns whether it is gone
   */
  removeLeftover(
    id: string,
    { cgroup: directories, folders = [] }: Pick<SandboxRecord, 'cgroup' | 'folders'>,
    isOwnerGone = false,
  ): Promise<boolean> {
    const pending = this.#pending.get(id)
    if (pending !== undefined) return pending
    const { cgroups } = this.#options
    const known = new Map(Object.entries(directories))
    // A record that could not be read names no directory.
    const cgroup = known.size > 0 ? cgroups.open(known) : cgroups.find(id)
    const afterwards = () => {
      if (isOwnerGone) for (const folder of folders) removeEmpty(folder)
    }
    return this.#track({ id, cgroup }, async () => {}, afterwards)
  }

  /** Resolves when every removal has succeeded or failed. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending.values())
  }

  #track(
    { id, cgroup }: Pick<SandboxPlace, 'id' | 'cgroup'>,
    end: () => Promise<void>,
    afterwards: () => void,
  ): Promise<boolean> {
    const { records, timed, onFailure } = this.#options
    const removal = end()
      .then(() => timed('remove', () => cgroup.remove()))
      .then(() => {
        records.remove(id)
        afterwards()
        return true
      })
      .catch((error: unknown) => {
        // The reaper tries again: the record stays.
        onFailure(id, error)
        return false
      })
      .finally(() => this.#pending.delete(id))
    this.#pending.set(id, removal)
    return removal
  }
}
