import type { JobInput } from '@isopod/client'
import type { Arena } from '../arena/arena.ts'

/** One thing that goes wrong. */
export interface Fault {
  /** Stable name in options and tables. */
  readonly name: string
  /** What happens, in one line. */
  readonly title: string
  /** Whether its workers make real containers; others simulate them, because the fault is in front of the containers. */
  readonly containers?: boolean
  /** @default 2 */
  readonly workers?: number
  /** Settings of the workers. */
  readonly env?: NodeJS.ProcessEnv
  /** What has a disk of its own that the fault can fill: Redis, or the logs and temporary files of the workers. @default none */
  readonly smallDisk?: 'redis' | 'workers'
  /** Whether Redis loses its data, and with it the jobs that were in it. */
  readonly mayLoseJobs?: boolean
  /** Consumes the results. @default a consumer that acknowledges each */
  readonly consume?: (arena: Arena) => void
  /** Submits one job until it is accepted. @default with an idempotency key, again after each refusal */
  readonly submit?: (arena: Arena, name: string, job: JobInput, signal: AbortSignal) => Promise<void>
  /** Breaks something, and mends it. Resolves when it is mended. */
  readonly strike: (arena: Arena) => Promise<void>
}
