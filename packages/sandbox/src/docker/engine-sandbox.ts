import { randomBytes } from 'node:crypto'
import { probeBinary } from '@isopod/init'
import { BatchContainers } from '../batch/batch-containers.ts'
import type { ContainerPool } from '../pool/container-pool.ts'
import { runExecution } from '../run-execution.ts'
import type { Execution, Outcome, RunOptions } from '../sandbox.ts'
import type { CanaryFinding, SelfTestReport } from '../self-test/finding.ts'
import { selfTest } from '../self-test/self-test.ts'
import { runSeries } from '../series/run-series.ts'
import { ContainerMaker } from './container-maker.ts'
import { Disposer } from './disposer.ts'
import type { DockerSandbox, DockerSandboxOptions } from './docker-sandbox.ts'
import type { Engine } from './engine.ts'
import type { EngineFacts } from './engine-facts.ts'
import { FreshContainers } from './fresh-containers.ts'
import { Images } from './images.ts'
import { InitVolume } from './init-volume.ts'
import { LABELS } from './labels.ts'
import { openPool } from './open-pool.ts'
import { reap, removeContainersOf } from './reaper.ts'
import type { SandboxEvent } from './sandbox-events.ts'
import type { LanguageProfile } from './seccomp/language-profiles.ts'
import { Users } from './users.ts'

/** What was found out about an engine before its sandbox is made. */
export interface Checked {
  readonly engine: Engine
  readonly facts: EngineFacts
  readonly warnings: readonly string[]
  readonly seccomp: string
  readonly profiles: ReadonlyMap<string, LanguageProfile>
  readonly observe: (event: SandboxEvent) => void
}

/** A sandbox on an engine that was found fit for it. */
export class EngineSandbox implements DockerSandbox {
  readonly facts: EngineFacts
  readonly warnings: readonly string[]
  readonly profiles: ReadonlyMap<string, LanguageProfile>
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

  constructor(
    options: DockerSandboxOptions,
    { engine, facts, warnings, seccomp, profiles, observe }: Checked,
  ) {
    this.#options = options
    this.#engine = engine
    this.#observe = observe
    this.facts = facts
    this.warnings = warnings
    this.profiles = profiles
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
      profiles,
      diskReads: options.diskReads,
      appArmor: options.appArmor,
      labels: this.#labels(),
    })
    this.#fresh = new FreshContainers(maker, options.deployment)
    const pooled = openPool(options.pool, {
      maker,
      fresh: this.#fresh,
      runtime: this.#runtime,
      cpus: facts.cpus,
      observe,
    })
    this.#pool = pooled?.pool
    const { containers: size = facts.cpus * 4, idleMs = 60_000, executions = 1000 } = options.batch ?? {}
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
    const { onContainer, onConnection, onOutput, budget } = options
    const stage = { containers: this.#containers, onContainer, onConnection, onOutput, budget }
    const signal = this.#until(options.signal)
    const { runs } = execution
    return await this.#watched(
      runs === undefined
        ? runExecution(execution, stage, signal)
        : runSeries({ ...execution, runs }, stage, signal, options),
    )
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

  digest(reference: string): Promise<string> {
    return this.#images.digest(reference)
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
