import { OutputChecks } from '@isopod/judging'
import type { Catalogue } from '@isopod/languages'
import type { PolicyChecker } from '@isopod/policy'
import { ConfigError, DEFAULT_LIMITS, type Result, VERSION } from '@isopod/protocol'
import { type Consumer, type Delivery, type Handle, JobInterrupted } from '@isopod/queue'
import type { Sandbox } from '@isopod/sandbox'
import { type HealthServer, Lifecycle, type Readiness, startHealthServer } from '@isopod/service-kit'
import type { Logger, Metrics } from '@isopod/telemetry'
import { Admission, type Budget } from './admission/admission.ts'
import { budgetOf } from './admission/budget.ts'
import { ExclusiveRuns } from './admission/exclusive-runs.ts'
import type { Audit, AuditSubject } from './audit/audit-event.ts'
import { placeOf, type WorkerConfig } from './config.ts'
import { CircuitBreaker, isHostFault } from './host/circuit-breaker.ts'
import { deferForHost } from './host/defer-for-host.ts'
import { engineLabels, engineWarnings } from './host/engine-facts.ts'
import { retryAfterOutage } from './host/engine-outage.ts'
import { EngineWatch } from './host/engine-watch.ts'
import { ImageWatch } from './host/image-watch.ts'
import { LeftoverReaper } from './host/leftover-reaper.ts'
import { cachedRun } from './jobs/cached-run.ts'
import { deploymentRules } from './jobs/deployment-rules.ts'
import type { PolicyGate } from './jobs/policy-gate.ts'
import { jobRunner } from './jobs/run-job.ts'
import { abandonJob } from './jobs/unexecuted-result.ts'
import type { EgressEvent } from './network/egress-proxy.ts'
import type { Networks } from './network/profiles.ts'
import { gauges } from './observe/gauges.ts'
import { SelfTestGate } from './self-test/self-test-gate.ts'
import type { WorkerState } from './worker-state.ts'

/** Beyond the grace for running jobs: requeueing, removing containers, closing connections. */
const CLEAN_UP_MS = 20_000

/** The parts that `main` joins. */
export interface WorkerParts {
  readonly config: WorkerConfig
  readonly logger: Logger
  readonly catalogue: Catalogue
  readonly networks: Networks
  readonly metrics: Metrics
  readonly audit: Audit
  readonly queue: Consumer
  readonly sandbox: Sandbox
  readonly checker: PolicyChecker
  readonly gate: PolicyGate
  readonly onEgress: (subject: AuditSubject, event: EgressEvent) => void
}

/**
 * Takes jobs from the queue and runs them. It takes the first one after its self-test, and none while the engine is gone or
 * its host is broken; {@link WORKER_STATES} names what it does. Its health server answers from the beginning.
 */
export class Worker {
  readonly #parts: WorkerParts
  readonly #budget: Budget
  readonly #admission: Admission
  readonly #checks = new OutputChecks()
  readonly #engine: EngineWatch
  readonly #images: ImageWatch
  readonly #selfTest: SelfTestGate
  readonly #breaker: CircuitBreaker
  readonly #run: Handle
  readonly #life: Lifecycle
  #state: WorkerState = 'starting'

  constructor(parts: WorkerParts) {
    this.#parts = parts
    const { config, logger, catalogue, metrics, queue, sandbox } = parts
    const usualMemoryMb = config.defaults.memoryMb ?? DEFAULT_LIMITS.memoryMb
    this.#budget = budgetOf(config.budget, sandbox.facts, usualMemoryMb)
    this.#admission = new Admission(this.#budget)
    this.#engine = new EngineWatch({
      ping: () => sandbox.ping(),
      onChange: (up) => this.#engineChanged(up),
    })
    this.#run = this.#jobRunner()
    this.#images = new ImageWatch({
      catalogue,
      missing: (references) => sandbox.missingImages(references),
      isEngineUp: () => this.#engine.up,
      register: (languages) => queue.registerCatalogue(languages),
    })
    this.#selfTest = new SelfTestGate({
      wanted: config.selfTest,
      subject: { catalogue, sandbox, minimumIsolation: config.minimumIsolation },
      logger,
      metrics,
    })
    this.#breaker = new CircuitBreaker({
      onOpen: () => {
        logger.error('three executions in a row failed on this host; resting')
        this.#takeOrPause()
      },
      onClose: () => this.#takeOrPause(),
    })
    this.#life = this.#lifecycle()
  }

  /** Starts every component. Resolves before the self-test is over. Rejects with a {@link ConfigError} if its port is taken. */
  async start(): Promise<void> {
    const { logger, catalogue, sandbox, metrics } = this.#parts
    gauges({ ...this.#parts, admission: this.#admission, budget: this.#budget, state: () => this.#state })
    metrics.workerInfo.set({ version: VERSION, ...engineLabels(sandbox) }, 1)
    for (const { text, ...about } of engineWarnings(catalogue, sandbox)) logger.warn(about, text)
    await this.#life.start()
  }

  /**
   * Takes no more jobs, waits for running ones, requeues the rest, removes its containers.
   *
   * @param why for the log
   * @returns whether all went well
   */
  async stop(why: string): Promise<boolean> {
    if (this.#state !== 'stopped') this.#state = 'draining'
    const clean = await this.#life.stop(why)
    this.#state = 'stopped'
    return clean
  }

  /** The components, in the order in which they start. */
  #lifecycle(): Lifecycle {
    const { config, logger, queue, sandbox, checker } = this.#parts
    const reaper = new LeftoverReaper({
      reap: () => sandbox.reap((owners) => queue.lease.alive(owners)),
      onError: (error) => logger.warn({ err: error }, 'reaper failed'),
    })
    let health: HealthServer | undefined
    return new Lifecycle(
      [
        {
          name: 'health',
          start: async () => {
            health = await this.#startHealthServer()
          },
          stop: () => health?.close(),
        },
        { name: 'queue', stop: () => queue.close() },
        { name: 'sandbox', stop: () => sandbox.close() },
        { name: 'checks', stop: () => this.#checks.close() },
        { name: 'policy', stop: () => checker.close() },
        { name: 'drain', stop: () => queue.drain(config.drainSeconds * 1000) },
        // A job that still waits for room could run elsewhere before it had its turn here.
        { name: 'admission', stop: () => this.#admission.close(new JobInterrupted('shutdown')) },
        { name: 'reaper', start: () => reaper.start(), stop: () => reaper.stop() },
        { name: 'engine', start: () => this.#engine.start(), stop: () => this.#engine.stop() },
        { name: 'images', start: () => this.#images.start(), stop: () => this.#images.stop() },
        { name: 'breaker', stop: () => this.#breaker.stop() },
        {
          name: 'self-test',
          // Not waited for: a worker answers for its health, and can be stopped, while it is tested.
          start: () => void this.#takeJobsAfterSelfTest(health?.port),
          stop: () => this.#selfTest.stop(),
        },
      ],
      { stopMs: config.drainSeconds * 1000 + CLEAN_UP_MS, logger },
    )
  }

  /** Joins all that a job meets on its way. */
  #jobRunner(): Handle {
    const { config, logger, metrics, queue, sandbox } = this.#parts
    const { workerId } = config
    const rules = deploymentRules({ ...this.#parts, budget: this.#budget })
    const exclusive = new ExclusiveRuns({
      ...{ admission: this.#admission, ...config.secondRuns },
      onOutcome: (outcome, heldMs) => {
        metrics.secondRuns.inc({ outcome })
        metrics.secondRunSeconds.inc({}, heldMs / 1000)
      },
    })
    const runner = jobRunner({
      ...{ ...this.#parts, checks: this.#checks, admission: this.#admission },
      ...{ workerId, rules, exclusive },
      onAdmitted: (ms) => metrics.admissionWait.observe({}, ms / 1000),
    })
    const run = retryAfterOutage(runner, this.#engine)
    const cached = cachedRun(run, {
      ...{ ...this.#parts, workerId, rules },
      release: VERSION,
      cache: queue.cache,
      ttlSeconds: config.cacheTtlSeconds,
      digest: (image, runtime) => sandbox.digest(image, runtime),
      profileDigest: (name) => sandbox.facts.profiles.get(name)?.digest,
      onError: (error) => logger.warn({ err: error }, 'the cache of results is of no use'),
    })
    return (delivery, signal) => (delivery.job.cache ? cached : run)(delivery, signal)
  }

  /** Takes one job to its result, and watches what that says about the host. */
  async #handle(delivery: Delivery, signal: AbortSignal): Promise<Result> {
    try {
      const result = await this.#run(delivery, signal)
      if (result.limitsApplied !== null && !result.cached) this.#breaker.succeeded()
      return result
    } catch (error) {
      if (signal.aborted) throw error
      if (isHostFault(error)) this.#breaker.failed()
      const maxMs = this.#parts.config.outageSeconds * 1000
      throw await deferForHost(error, { maxMs, engine: this.#engine, images: this.#images })
    }
  }

  async #takeJobsAfterSelfTest(port: number | undefined): Promise<void> {
    const { config, logger, queue, audit } = this.#parts
    const passed = await this.#selfTest.pass()
    if (this.#state !== 'starting') return
    if (!passed) {
      this.#state = 'failed_self_test'
      return
    }
    queue.run({
      concurrency: this.#budget.slots,
      wanted: () => this.#admission.wanted,
      handle: (delivery, signal) => this.#handle(delivery, signal),
      giveUp: abandonJob({ workerId: config.workerId, logger, audit }),
    })
    this.#state = 'ready'
    this.#takeOrPause()
    logger.info({ ...this.#budget, port, engine: placeOf(config) }, 'taking jobs')
  }

  /** Takes jobs only while the engine answers and the breaker is closed. */
  #takeOrPause(): void {
    if (this.#state !== 'ready' && this.#state !== 'paused') return
    const { queue } = this.#parts
    this.#state = this.#engine.up && !this.#breaker.open ? 'ready' : 'paused'
    if (this.#state === 'ready') queue.resume()
    else void queue.pause()
  }

  #engineChanged(up: boolean): void {
    const { config, logger, metrics } = this.#parts
    metrics.dockerUp.set({}, up ? 1 : 0)
    const at = { engine: placeOf(config) }
    if (!up) logger.error(at, 'engine is gone')
    else if (this.#state === 'paused') logger.info(at, 'engine is back')
    this.#takeOrPause()
  }

  async #startHealthServer(): Promise<HealthServer> {
    const { config, metrics } = this.#parts
    const ready = async () => this.#readiness()
    return await startHealthServer({ ...config.http, metrics, ready }).catch((cause: Error) => {
      throw new ConfigError(`PORT: ${cause.message}; set another, or 0 for any free one`, { cause })
    })
  }

  #readiness(): Readiness {
    const { config, queue } = this.#parts
    const redis = queue.connected
    const clock = queue.clock.problem
    const { missing } = this.#images
    return {
      ok: this.#state === 'ready' && redis && !queue.full && clock === undefined && this.#engine.up,
      checks: {
        state: this.#state,
        selfTest: this.#selfTest.summary,
        redis: redis ? (queue.full ? 'full: at its maxmemory, so no job is taken' : 'ok') : 'does not answer',
        clock: clock ?? 'ok',
        engine: this.#engine.up ? 'ok' : `does not answer at ${placeOf(config)}`,
        // A language whose image is missing fails alone; the others work.
        images: missing.length === 0 ? 'ok' : `missing: ${missing.join(', ')}`,
      },
    }
  }
}
