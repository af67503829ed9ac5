import type { Execution } from './contract/execution.ts'
import type { ExecutionOptions } from './contract/execution-options.ts'
import type { Outcome } from './contract/outcome.ts'
import type { AliveOwners, DriverFacts } from './driver/driver.ts'
import type { ProbeFinding, SelfTestReport } from './self-test/finding.ts'

/** Runs untrusted programs. */
export interface Sandbox {
  readonly facts: DriverFacts
  /**
   * Runs one program in its own environment. Resolves with its outcome; rejects only if the host failed (`RetryableError`,
   * `TerminalError`), or with the signal's reason.
   */
  run(execution: Execution, options?: ExecutionOptions): Promise<Outcome>
  /** Resolves if containers can be made now. @throws {UnavailableError} otherwise */
  ping(): Promise<void>
  /** Removes containers that crashed workers of this deployment left. Resolves with their number. */
  reap(alive: AliveOwners): Promise<number>
  /**
   * Content digest of the image that a reference names now.
   *
   * @param runtime of the containers that it is for. @default the sandbox's own
   * @throws {ImageMissingError} if the image is not on this host
   */
  digest(reference: string, runtime?: string): Promise<string>
  /** Those of these images that are not on this host, for containers of this runtime. @default the sandbox's own */
  missingImages(references: readonly string[], runtime?: string): Promise<string[]>
  /**
   * Attacks containers with one probe each, and says how each attack ended. The containers are made on the spot; those of a
   * pool are made by the same code with the same flags.
   *
   * @param image any image of this host; none of its programs is started
   * @param options.runtime OCI runtime of the containers; the deployment's by default
   */
  selfTest(
    image: string,
    options?: { runtime?: string; signal?: AbortSignal; onFinding?: (finding: ProbeFinding) => void },
  ): Promise<SelfTestReport>
  counts(): SandboxCounts
  /** Ends running executions and removes every container. Idempotent. */
  close(): Promise<void>
}

/** Current numbers of executions and containers. */
export interface SandboxCounts {
  /** Running executions and self-tests. */
  readonly running: number
  /** Idle containers of batches. */
  readonly idle: number
  /** Containers that are being removed. */
  readonly removing: number
  /** Containers of the pool that wait for a job, by image. */
  readonly waiting: ReadonlyMap<string, number>
}
