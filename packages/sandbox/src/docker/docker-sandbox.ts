import { randomBytes } from 'node:crypto'
import { probeBinary } from '@isopod/init'
import { TerminalError, UnavailableError } from '@isopod/protocol'
import { BatchContainers } from '../batch/batch-containers.ts'
import type { BatchOptions } from '../batch/batch-options.ts'
import type { ContainerPool } from '../pool/container-pool.ts'
import { runExecution } from '../run-execution.ts'
import type { Execution, Outcome, RunOptions, Sandbox } from '../sandbox.ts'
import type { CanaryFinding, SelfTestReport } from '../self-test/finding.ts'
import { selfTest } from '../self-test/self-test.ts'
import { ContainerMaker } from './container-maker.ts'
import { Disposer } from './disposer.ts'
import { Engine } from './engine.ts'
import { type EngineFacts, engineFacts } from './engine-facts.ts'
import { FreshContainers } from './fresh-containers.ts'
import { Images } from './images.ts'
import { InitVolume } from './init-volume.ts'
import { LABELS } from './labels.ts'
import { openPool, type PoolSettings } from './open-pool.ts'
import { reap, removeContainersOf } from './reaper.ts'
import { runtimeTrouble } from './runtime-trouble.ts'
import type { SandboxEvent } from './sandbox-events.ts'
import { loadSeccompProfile } from './seccomp/load.ts'
import { type UserRange, Users } from './users.ts'

/** What a sandbox on a Docker engine is made with. */
export interface DockerSandboxOptions {
  /** `unix:///path`, a plain path, or `tcp://host:port`. */
  readonly address: string
  /** Only containers of this deployment are ever reaped. */
  readonly deployment: string
  /** Id of the worker; the reaper of any worker removes containers whose owner is gone. */
  readonly owner: string
  /** Whom programs run as: each container gets an id of its own. */
  readonly users: UserRange
  /** OCI runtime: `runc`, `crun`, `runsc`… @default the engine's own */
  readonly runtime?: string | undefined
  /** Accept a runc with known escapes; it is told as a warning then. @default false */
  readonly allowOldRunc?: boolean
  /** File with a seccomp profile in Docker's JSON format. @default ours, deploy/seccomp/profile.yaml */
  readonly seccompProfile?: string | undefined
  /** Containers that wait for a job. @default none do */
  readonly pool?: PoolSettings | undefined
  /** More labels for every container. */
  readonly labels?: Readonly<Record<string, string>>
  /** How long the reaper doubts that an owner is gone, in milliseconds. @default 12000 */
  readonly reaperDoubtMs?: number
  /** How long containers serve their batch. */
  readonly batch?: BatchOptions
  readonly observe?: (event: SandboxEvent) => void
}

/** A sandbox whose environments are containers of one Docker engine. */
export interface DockerSandbox extends Sandbox {
  readonly facts: EngineFacts
  /** What the operator should know about this engine, a sentence each. */
  readonly warnings: readonly string[]
  /** Resolves if the engine answers. @throws {UnavailableError} otherwise */
  ping(): Promise<void>
  /** Removes what crashed workers of this deployment left. Resolves with how many containers that were. */
  reap(alive: (owners: string[]) => Promise<ReadonlySet<string>>): Promise<number>
  /** Says which of these images the engine lacks. */
  missingImages(references: readonly string[]): Promise<string[]>
  /**
   * Attacks containers made just as a job's, each by another canary, and says what became of each. They are made on the
   * spot: those that wait are made by the same code with the same flags, and differ in nothing but that.
   *
   * @param image any image of this engine; none of its programs is started
   * @param options.runtime OCI runtime of the containers; the deployment's by default
   */
  selfTest(
    image: string,
    options?: { runtime?: string; signal?: AbortSignal; onFinding?: (finding: CanaryFinding) => void },
  ): Promise<SelfTestReport>
  /** Executions under way, containers that wait for their batch, those on their way out, and those that wait for a job, by image. */
  counts(): {
    readonly running: number
    readonly shelved: number
    readonly removing: number
    readonly waiting: ReadonlyMap<string, number>
  }
}

/**
 * Connects to an engine and checks what it can enforce.
 *
 * @throws {UnavailableError} if it does not answer, {@link TerminalError} if it cannot confine or its runc is known not to,
 *   {@link ConfigError} if there is no usable seccomp profile
 */
export async function openDockerSandbox(options: DockerSandboxOptions): Promise<DockerSandbox> {
  const observe = options.observe ?? (() => {})
  const engine = new Engine(options.address, (call) => observe({ type: 'engine_call', call }))
  await engine.ping()
  const found = await engineFacts(engine)
  if (options.runtime !== undefined && !found.runtimes.includes(options.runtime)) {
    throw new UnavailableError(
      `The engine has no runtime ${JSON.stringify(options.runtime)}; it has ${found.runtimes.join(', ')}`,
    )
  }
  const warnings = runtimeWarnings(found, options)
  // A job cannot choose what the deployment would be refused for.
  const usable = (runtime: string) =>
    options.allowOldRunc || runtimeTrouble(found, runtime)?.state !== 'refused'
  const facts = { ...found, runtimes: found.runtimes.filter(usable) }
  const seccomp = await loadSeccompProfile(options.seccompProfile, facts.architecture)
  return new EngineSandbox(options, { engine, facts, warnings, seccomp, observe })
}

function runtimeWarnings(
  facts: EngineFacts,
  { runtime, allowOldRunc = false }: DockerSandboxOptions,
): string[] {
  const trouble = runtimeTrouble(facts, runtime)
  if (trouble === undefined) return []
  if (trouble.state === 'unknown') return [trouble.reason]
  if (allowOldRunc)
    return [
      `${trouble.reason}; accepted as ISOPOD_ALLOW_OLD_RUNC says: fine for trying out, not for production`,
    ]
  throw new TerminalError(`${trouble.reason}; ISOPOD_ALLOW_OLD_RUNC=true accepts it all the same`)
}

/** What was found out about an engine before its sandbox is made. */
interface Checked {
  readonly engine: Engine
  readonly facts: EngineFacts
  readonly warnings: readonly string[]
  readonly seccomp: string
  readonly observe: (event: SandboxEvent) => void
}

class EngineSandbox implements DockerSandbox {
  readonly facts: EngineFacts
  readonly warnings: readonly string[]
  readonly #options: DockerSandboxOptions
  readonly #engine: Engine
  readonly #observe: (event: SandboxEvent) => void
  readonly #disposer: Disposer
  readonly #images: Images
  readonly #fresh: FreshContainers
  readonly #pool: ContainerPool | undefined
  readonly #containers: BatchContainers
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #closed: Promise<void> | undefined

  constructor(options: DockerSandboxOptions, { engine, facts, warnings, seccomp, observe }: Checked) {
    this.#options = options
    this.#engine = engine
    this.#observe = observe
    this.facts = facts
    this.warnings = warnings
    this.#disposer = new Disposer(engine, (container, error) =>
      observe({ type: 'removal_failed', container, error }),
    )
    this.#images = new Images(engine)
    const maker = new ContainerMaker({
      engine,
      images: this.#images,
      disposer: this.#disposer,
      initVolume: new InitVolume(engine, facts.architecture, this.#labels()),
      users: new Users(options.users),
      observe,
      runtime: this.#runtime,
      runtimes: facts.runtimes,
      seccomp,
      labels: this.#labels(),
    })
    this.#fresh = new FreshContainers(maker)
    const pooled = openPool(options.pool, {
      maker,
      fresh: this.#fresh,
      runtime: this.#runtime,
      cpus: facts.cpus,
      observe,
    })
    this.#pool = pooled?.pool
    const { containers: size = facts.cpus * 2, idleMs = 10_000, executions = 1000 } = options.batch ?? {}
    this.#containers = new BatchContainers({
      source: pooled?.source ?? this.#fresh,
      digest: (reference) => this.#images.digest(reference),
      shelf: { size, idleMs },
      executions,
      onReset: (outcome) => observe({ type: 'container_reset', outcome }),
    })
  }

  get #runtime(): string {
    return this.#options.runtime ?? this.facts.defaultRuntime
  }

  async run(execution: Execution, options: RunOptions = {}): Promise<Outcome> {
    const { onContainer, onConnection, cleared } = options
    const stage = { containers: this.#containers, onContainer, onConnection, cleared }
    return await this.#watched(runExecution(execution, stage, this.#until(options.signal)))
  }

  ping(): Promise<void> {
    return this.#engine.ping()
  }

  async reap(alive: (owners: string[]) => Promise<ReadonlySet<string>>): Promise<number> {
    await this.#disposer.retryFailed()
    return await reap({
      engine: this.#engine,
      disposer: this.#disposer,
      deployment: this.#options.deployment,
      alive,
      onReaped: (of, reason) => this.#observe({ type: 'reaped', ...of, reason }),
      ...(this.#options.reaperDoubtMs !== undefined && { doubtMs: this.#options.reaperDoubtMs }),
    })
  }

  async missingImages(references: readonly string[]): Promise<string[]> {
    const found = await Promise.all(
      references.map((reference) =>
        this.#images.digest(reference).then(
          () => true,
          () => false,
        ),
      ),
    )
    return references.filter((_, index) => !found[index])
  }

  async selfTest(
    image: string,
    options: { runtime?: string; signal?: AbortSignal; onFinding?: (finding: CanaryFinding) => void } = {},
  ): Promise<SelfTestReport> {
    const { bytes } = await probeBinary(this.facts.architecture)
    const runtime = options.runtime ?? this.#runtime
    const { first, last } = this.#options.users
    const report = selfTest({
      stage: { containers: this.#fresh },
      kit: {
        probe: bytes,
        image,
        runtime,
        name: `selftest-${randomBytes(6).toString('hex')}`,
        ownProfile: this.#options.seccompProfile === undefined,
        users: last - first + 1,
      },
      signal: this.#until(options.signal),
      onFinding: options.onFinding,
    })
    return await this.#watched(report)
  }

  counts() {
    const waiting = new Map<string, number>()
    for (const { image } of this.#pool?.waiting ?? []) waiting.set(image, (waiting.get(image) ?? 0) + 1)
    return {
      running: this.#running.size,
      shelved: this.#containers.shelved,
      removing: this.#disposer.size,
      waiting,
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort(new Error('the sandbox is closing'))
    await Promise.allSettled([...this.#running, this.#pool?.close()])
    this.#containers.close()
    await this.#disposer.idle()
    // Whatever is still there in our name (a create that was answered too late, a removal that failed) goes with us.
    await removeContainersOf(this.#engine, this.#options.deployment, this.#options.owner)
  }

  #until(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])])
  }

  /** Has `close` wait for it. */
  async #watched<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }

  #labels(): Record<string, string> {
    const { deployment, owner, labels } = this.#options
    return { ...labels, [LABELS.deployment]: deployment, [LABELS.owner]: owner }
  }
}
