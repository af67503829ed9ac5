import { randomBytes } from 'node:crypto'
import type { Cgroup, CgroupTree } from './cgroup-tree.ts'
import { placeInCgroups, type SandboxRecord, type SandboxRecords } from './records.ts'
import { firstSteps } from './sandbox-steps.ts'
import type { SandboxProcess, Spawner } from './spawner.ts'

/** Number of places that wait for a sandbox. */
export const SPARE_PLACES = 4

/** Pause before the next place is prepared, in milliseconds. */
const REFILL_AFTER_MS = 8

/** What the record of a place says until a sandbox takes it. */
const SPARE_RECORD = { job: '', attempt: 0, isSpare: true } as const
/** How long a place may wait before any reaper removes it, in milliseconds; the next sandbox then makes its own. */
const SPARE_LIFE_MS = 3_600_000

/** A cgroup with a process in it that has taken its first steps, and waits for the others. */
export interface SandboxPlace {
  readonly id: string
  readonly cgroup: Cgroup
  readonly process: SandboxProcess
}

/** Options of {@link SandboxPlaces}. */
export interface SandboxPlacesOptions {
  readonly cgroups: CgroupTree
  readonly records: SandboxRecords
  readonly spawner: Spawner
  readonly mark: Pick<SandboxRecord, 'deployment' | 'owner'>
  /** Removes a place that cannot be used. */
  readonly remove: (place: SandboxPlace) => void
}

/** Prepares places for sandboxes before they are needed: the kernel takes its time to move a process into a cgroup. */
export class SandboxPlaces {
  readonly #options: SandboxPlacesOptions
  readonly #spare: Promise<SandboxPlace>[] = []
  #isClosed = false

  constructor(options: SandboxPlacesOptions) {
    this.#options = options
  }

  /** A place for one sandbox. @throws {RetryableError} if the host refuses one */
  async take(): Promise<SandboxPlace> {
    const prepared = await this.#spare.shift()?.catch(() => undefined)
    // After the sandbox has started: both would want the processor.
    setTimeout(() => this.#refill(), REFILL_AFTER_MS).unref()
    // A reaper that took this worker for gone removes its places; the end of their processes is heard of later.
    if (prepared?.process.isRunning && prepared.cgroup.exists) return prepared
    if (prepared !== undefined) this.#options.remove(prepared)
    return await this.#make()
  }

  /** Removes the places that wait. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const spare of this.#spare.splice(0)) {
      const place = await spare.catch(() => undefined)
      if (place !== undefined) this.#options.remove(place)
    }
  }

  #refill(): void {
    while (!this.#isClosed && this.#spare.length < SPARE_PLACES) {
      const place = this.#make()
      // `take` makes another place instead of one that failed.
      place.catch(() => {})
      this.#spare.push(place)
    }
  }

  async #make(): Promise<SandboxPlace> {
    const { cgroups, records, spawner, mark } = this.#options
    // As long as a container's id of an engine.
    const id = randomBytes(32).toString('hex')
    const cgroup = cgroups.at(id)
    // Before the cgroup, so that a reaper finds it whatever happens here.
    const deadline = Date.now() + SPARE_LIFE_MS
    records.add(id, { ...mark, ...SPARE_RECORD, deadline, ...placeInCgroups(cgroup) })
    try {
      cgroups.create(cgroup)
      const process = await spawner.start(id)
      process.send(firstSteps(cgroup))
      return { id, cgroup, process }
    } catch (error) {
      // The cgroup has no process yet, and the reaper would wait for the end of this worker.
      if (cgroup.removeNow()) records.remove(id)
      throw error
    }
  }
}
