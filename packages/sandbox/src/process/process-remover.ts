import { dirname } from 'node:path'
import { type CgroupTree, removeEmpty } from './cgroup-tree.ts'
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
  readonly #pending = new Map<string, Promise<void>>()

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
   */
  removeLeftover(id: string, record: Pick<SandboxRecord, 'cgroup'>, isOwnerGone = false): Promise<void> {
    const known = this.#pending.get(id)
    if (known !== undefined) return known
    const directories = new Map(Object.entries(record.cgroup))
    const cgroup = this.#options.cgroups.open(directories)
    const afterwards = () => {
      if (isOwnerGone) for (const directory of directories.values()) removeEmpty(dirname(directory))
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
  ): Promise<void> {
    const { records, timed, onFailure } = this.#options
    const removal = end()
      .then(() => timed('remove', () => cgroup.remove()))
      .then(() => {
        records.remove(id)
        afterwards()
      })
      // The reaper tries again: the record stays.
      .catch((error: unknown) => onFailure(id, error))
      .finally(() => this.#pending.delete(id))
    this.#pending.set(id, removal)
    return removal
  }
}
