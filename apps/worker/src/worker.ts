import { OutputChecks } from '@isopod/judging'
import type { Catalogue } from '@isopod/languages'
import type { PolicyChecker } from '@isopod/policy'
import { ConfigError, DEFAULT_LIMITS, type Result, VERSION } from '@isopod/protocol'
import { type Consumer, type Delivery, JobInterrupted } from '@isopod/queue'
import { type DockerSandbox, EngineUnreachableError } from '@isopod/sandbox'
import { type Readiness, shutDown, startHealthServer } from '@isopod/service-kit'
import type { Logger, Metrics } from '@isopod/telemetry'
import { Admission } from './admission/admission.ts'
import { budgetOf } from './admission/budget.ts'
import { ExclusiveRuns } from './admission/exclusive-runs.ts'
import type { Audit, OfJob } from './audit/audit-event.ts'
import { cachedRun } from './cached-run.ts'
import type { WorkerConfig } from './config.ts'
import { EngineWatch } from './engine-watch.ts'
import { FaultBreaker, saysOfHost } from './fault-breaker.ts'
import { gauges } from './gauges.ts'
import { givingUp } from './given-up.ts'
import { ImageWatch } from './image-watch.ts'
import type { Networks } from './network/profiles.ts'
import type { EgressEvent } from './network/proxy.ts'
import type { PolicyGate } from './policy-gate.ts'
import { preloadedLanguages } from './preloaded-languages.ts'
import { offlineProfiles } from './profile-rules.ts'
import { jobRunner } from './run-job.ts'
import { SelfTestGate } from './self-test-gate.ts'
import type { WorkerState } from './worker-state.ts'

const REAP_INTERVAL_MS = 30_000
/** Beyond the grace for running jobs: handing back, removing containers, closing connections. */
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
  readonly sandbox: DockerSandbox
  readonly checker: PolicyChecker
  readonly gate: PolicyGate
  readonly onEgress: (of: OfJob, event: EgressEvent) => void
}

/** A worker that takes jobs. */
export interface RunningWorker {
  /** The port of /metrics, /healthz and /readyz. */
  readonly port: number
  /** Stops taking, drains, hands back, removes its containers. Every call gets the same promise; false if a step failed. */
  stop(): Promise<boolean>
}

/**
 * Starts everything that a worker does: health server, engine watch, reaper. The taking of jobs comes last, after the
 * self-test; the worker is there before, and says that it is not ready.
 */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { config, logger, catalogue, networks, metrics, queue, sandbox, checker } = parts
  const usualMemoryMb = config.defaults.memoryMb ?? DEFAULT_LIMITS.memoryMb
  const budget = budgetOf(config.budget, sandbox.facts, usualMemoryMb)
  const admission = new Admission(budget)
  const rules = {
    catalogue,
    networks,
    defaults: config.defaults,
    maxima: {
      ...config.maxima,
      memoryMb: Math.min(config.maxima.memoryMb ?? Number.POSITIVE_INFINITY, budget.memoryMb),
      cpus: Math.min(config.maxima.cpus ?? Number.POSITIVE_INFINITY, sandbox.facts.cpus),
    },
    runtime: config.engine.runtime ?? sandbox.facts.defaultRuntime,
    runtimes: sandbox.facts.runtimes,
    preloaded: preloadedLanguages(config.preload, catalogue),
    offline: offlineProfiles(sandbox.profiles),
  }
  const checks = new OutputChecks()
  const runJob = jobRunner({
    ...parts,
    checks,
    workerId: config.workerId,
    rules,
    admission,
    exclusive: new ExclusiveRuns({
      ...{ admission, ...config.secondRuns },
      onOutcome: (outcome, heldMs) => {
        metrics.secondRuns.inc({ outcome })
        metrics.secondRunSeconds.inc({}, heldMs / 1000)
      },
    }),
    onAdmitted: (ms) => metrics.admissionWait.observe({}, ms / 1000),
  })
  let state: WorkerState = 'starting'
  let stopping: Promise<boolean> | undefined

  /** Takes jobs only while the engine is there and the host is not ill. */
  function takeOrRest(): void {
    if (state !== 'ready' && state !== 'paused') return
    state = engine.up && !breaker.resting ? 'ready' : 'paused'
    if (state === 'ready') queue.resume()
    else void queue.pause()
  }

  const engine = new EngineWatch({
    ping: () => sandbox.ping(),
    onChange: (up) => {
      metrics.dockerUp.set({}, up ? 1 : 0)
      const at = { engine: config.engine.address }
      if (!up) logger.error(at, 'engine is gone')
      else if (state === 'paused') logger.info(at, 'engine is back')
      takeOrRest()
    },
  })
  const images = new ImageWatch({
    catalogue,
    missing: (references) => sandbox.missingImages(references),
    askable: () => engine.up,
    register: (languages) => queue.registerCatalogue(languages),
  })
  const breaker = new FaultBreaker({
    rest: () => {
      logger.error('three executions in a row failed on this host; resting')
      takeOrRest()
    },
    goOn: takeOrRest,
  })

  const gate = new SelfTestGate({
    wanted: config.selfTest,
    subject: { catalogue, sandbox, runtime: config.engine.runtime },
    logger,
    metrics,
  })

  const runOrRecall = cachedRun(runJob, {
    ...parts,
    workerId: config.workerId,
    release: VERSION,
    rules,
    cache: queue.cache,
    aside: (wait) => admission.aside(wait),
    overcommitted: () => held > admission.wanted,
    ttlSeconds: config.cacheTtlSeconds,
    digest: (image) => sandbox.digest(image),
    profileDigest: (name) => sandbox.profiles.get(name)?.digest,
    onError: (error) => logger.warn({ err: error }, 'the cache of results is of no use'),
  })

  let held = 0
  async function handle(delivery: Delivery, signal: AbortSignal): Promise<Result> {
    held += 1
    try {
      const result = await runOrRecall(delivery, signal)
      if (result.limitsApplied !== null && !result.cached) breaker.passed()
      return result
    } catch (error) {
      if (error instanceof EngineUnreachableError) void engine.check()
      if (!signal.aborted && saysOfHost(error)) breaker.failed()
      throw error
    } finally {
      held -= 1
    }
  }

  async function ready(): Promise<Readiness> {
    const redis = queue.connected
    const { missing } = images
    return {
      ok: state === 'ready' && redis && engine.up,
      checks: {
        state,
        selfTest: gate.summary,
        redis: redis ? 'ok' : 'not connected',
        engine: engine.up ? 'ok' : `does not answer at ${config.engine.address}`,
        // A language whose image is not there fails alone; the others work.
        images: missing.length === 0 ? 'ok' : `missing: ${missing.join(', ')}`,
      },
    }
  }

  let reaping = false
  async function reap(): Promise<void> {
    if (reaping) return
    reaping = true
    try {
      await sandbox.reap((owners) => queue.lease.alive(owners))
    } catch (error) {
      logger.warn({ err: error }, 'reaper failed')
    } finally {
      reaping = false
    }
  }

  async function stop(): Promise<boolean> {
    state = 'draining'
    clearInterval(reaper)
    gate.stop()
    engine.stop()
    images.stop()
    breaker.stop()
    // Those that still wait for room would only come to run when others could long have taken them.
    admission.close(new JobInterrupted('shutdown'))
    const clean = await shutDown(
      [
        { name: 'drain', run: () => queue.drain(config.drainSeconds * 1000) },
        { name: 'policy', run: () => checker.close() },
        { name: 'checks', run: async () => checks.close() },
        { name: 'sandbox', run: () => sandbox.close() },
        { name: 'queue', run: () => queue.close() },
        { name: 'health', run: () => health.close() },
      ],
      config.drainSeconds * 1000 + CLEAN_UP_MS,
      logger,
    )
    state = 'stopped'
    logger.info({ clean }, 'stopped')
    return clean
  }

  gauges({ metrics, queue, sandbox, admission, budget, state: () => state })
  metrics.workerInfo.set(
    {
      version: VERSION,
      engine: sandbox.facts.version,
      runtime: config.engine.runtime ?? sandbox.facts.defaultRuntime,
      cgroup: `v${sandbox.facts.cgroup}`,
    },
    1,
  )
  const health = await startHealthServer({ ...config.http, metrics, ready }).catch((cause: Error) => {
    throw new ConfigError(`PORT: ${cause.message}; set another, or 0 for any free one`, { cause })
  })
  // Not waited for: it gives owners time to prove that they live.
  void reap()
  const reaper = setInterval(reap, REAP_INTERVAL_MS)
  engine.start()
  await engine.check()
  await images.start()
  for (const { name, runtime } of catalogue.languages) {
    if (runtime === undefined || sandbox.facts.runtimes.includes(runtime)) continue
    logger.warn(
      { language: name, runtime },
      'the engine lacks the runtime of a language; its jobs will fail here',
    )
  }
  // Not waited for: a worker that is being tested can be asked how it is, and told to stop.
  void gate.pass().then((passed) => {
    if (state !== 'starting') return
    if (!passed) {
      state = 'failed_self_test'
      return
    }
    queue.run({ concurrency: budget.slots, wanted: () => admission.wanted, handle, giveUp: givingUp(parts) })
    state = 'ready'
    takeOrRest()
    logger.info({ ...budget, port: health.port, engine: config.engine.address }, 'taking jobs')
  })
  if (!sandbox.facts.limitsSwap) {
    logger.warn(
      'the engine does not account for swap: on a host that has some, memory limits end later than asked',
    )
  }
  for (const warning of sandbox.warnings) logger.warn(warning)

  return {
    port: health.port,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}
