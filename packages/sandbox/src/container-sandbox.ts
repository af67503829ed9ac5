import { randomBytes } from 'node:crypto'
import { probeBinary } from '@isopod/init'
import { BatchContainers, type BatchReuseOptions } from './acquire/batch/batch-containers.ts'
import { ContainerMaker } from './acquire/container-maker.ts'
import type { ContainerSource } from './acquire/container-source.ts'
import { FreshContainers } from './acquire/fresh-containers.ts'
import type { ContainerPool } from './acquire/pool/container-pool.ts'
import { openPool, type PoolSettings } from './acquire/pool/open-pool.ts'
import type { Execution } from './contract/execution.ts'
import type { ExecutionOptions } from './contract/execution-options.ts'
import type { Outcome } from './contract/outcome.ts'
import type { AliveOwners, Driver, DriverFacts } from './driver/driver.ts'
import type { SandboxEvent } from './driver/sandbox-events.ts'
import { runExecution } from './execution/run-execution.ts'
import { runMultiple } from './multi-run/run-multiple.ts'
import type { Sandbox, SandboxCounts } from './sandbox.ts'
import type { ProbeFinding, SelfTestReport } from './self-test/finding.ts'
import { selfTest } from './self-test/self-test.ts'

const CLOSING = 'the sandbox is closing'

/** Options of {@link ContainerSandbox}. */
export interface ContainerSandboxOptions {
  /** Name of the deployment; part of the containers' names. */
  readonly deployment: string
  /** The pool of containers that wait for a job. @default no pool */
  readonly pool?: PoolSettings | undefined
  /** Limits on the reuse of containers by a batch. */
  readonly batch?: BatchReuseOptions | undefined
  readonly observe?: ((event: SandboxEvent) => void) | undefined
}

/** Runs each execution in a container of one driver: new, from the pool, or used before by the same batch. */
export class ContainerSandbox implements Sandbox {
  readonly #driver: Driver
  readonly #fresh: FreshContainers
  readonly #pool: ContainerPool | undefined
  /** Source of containers for executions without a batch. */
  readonly #source: ContainerSource
  readonly #batches: BatchContainers
  /** Running work, each with the controller that aborts it. */
  readonly #running = new Map<Promise<unknown>, AbortController>()
  #closed: Promise<void> | undefined

  constructor(driver: Driver, { deployment, pool, batch = {}, observe = () => {} }: ContainerSandboxOptions) {
    this.#driver = driver
    const { cpus, defaultRuntime: runtime } = driver.facts
    const maker = new ContainerMaker(driver)
    this.#fresh = new FreshContainers(maker, deployment)
    const pooled = openPool(pool, { maker, fresh: this.#fresh, runtime, cpus, observe })
    this.#pool = pooled?.pool
    const { containers: size = cpus * 8, idleMs = 60_000, executions = 1000 } = batch
    this.#source = pooled?.source ?? this.#fresh
    this.#batches = new BatchContainers({
      source: this.#source,
      digest: (reference, runtime) => driver.images.digest(reference, runtime),
      idle: { size, idleMs },
      executions,
      onReset: (outcome) => observe({ type: 'container_reset', outcome }),
    })
  }

  get facts(): DriverFacts {
    return this.#driver.facts
  }

  async run(execution: Execution, options: ExecutionOptions = {}): Promise<Outcome> {
    const { onContainer, onConnection, onOutput, budget } = options
    const containers = execution.sharedBy === undefined ? this.#source : this.#batches
    const context = { containers, onContainer, onConnection, onOutput, budget }
    const { runs } = execution
    return await this.#tracked(options.signal, (signal) =>
      runs === undefined
        ? runExecution(execution, context, signal)
        : runMultiple({ ...execution, runs }, context, signal, options),
    )
  }

  ping(): Promise<void> {
    return this.#driver.ping()
  }

  reap(alive: AliveOwners): Promise<number> {
    return this.#driver.reap(alive)
  }

  digest(reference: string, runtime?: string): Promise<string> {
    return this.#driver.images.digest(reference, runtime)
  }

  async missingImages(references: readonly string[], runtime?: string): Promise<string[]> {
    const found = await Promise.allSettled(references.map((reference) => this.digest(reference, runtime)))
    return references.filter((_, index) => found[index]?.status === 'rejected')
  }

  async selfTest(
    image: string,
    options: { runtime?: string; signal?: AbortSignal; onFinding?: (finding: ProbeFinding) => void } = {},
  ): Promise<SelfTestReport> {
    const { architecture, defaultRuntime, ownProfile, users } = this.#driver.facts
    const { bytes } = await probeBinary(architecture)
    const kit = {
      probe: bytes,
      image,
      runtime: options.runtime ?? defaultRuntime,
      name: `selftest-${randomBytes(6).toString('hex')}`,
      ownProfile,
      users,
    }
    const context = { containers: this.#fresh }
    const { onFinding } = options
    return await this.#tracked(options.signal, (signal) => selfTest({ context, kit, signal, onFinding }))
  }

  counts(): SandboxCounts {
    const waiting = new Map<string, number>()
    for (const { image } of this.#pool?.waiting ?? []) waiting.set(image, (waiting.get(image) ?? 0) + 1)
    return {
      running: this.#running.size,
      idle: this.#batches.idle,
      removing: this.#driver.removing,
      waiting,
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    for (const end of this.#running.values()) end.abort(new Error(CLOSING))
    await Promise.allSettled([...this.#running.keys(), this.#pool?.close()])
    this.#batches.close()
    await this.#driver.close()
  }

  /** Starts work that ends with `signal` or this sandbox, and that `close` waits for. */
  async #tracked<T>(signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // Not AbortSignal.any: a signal that lives as long as the sandbox would keep those of thousands of executions in memory.
    const end = new AbortController()
    if (this.#closed !== undefined) end.abort(new Error(CLOSING))
    const abort = () => end.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    const work = start(end.signal)
    this.#running.set(work, end)
    try {
      return await work
    } finally {
      this.#running.delete(work)
      signal?.removeEventListener('abort', abort)
    }
  }
}
