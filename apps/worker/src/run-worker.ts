import { openPolicyChecker } from '@isopod/policy'
import { STATUSES } from '@isopod/protocol'
import { type Consumer, openConsumer } from '@isopod/queue'
import { onStopSignal, serviceLogger } from '@isopod/service-kit'
import { createMetrics } from '@isopod/telemetry'
import { loadTenants } from './admission/load-tenants.ts'
import { auditLog } from './audit/audit-log.ts'
import { readWorkerConfig } from './config.ts'
import { loadCatalogue } from './document/load-catalogue.ts'
import type { openSandbox } from './host/open-sandbox.ts'
import { policyGate } from './jobs/policy-gate.ts'
import { loadNetworks } from './network/profiles.ts'
import { egressObserver, policyObserver } from './observe/job-observers.ts'
import { queueObserver } from './observe/queue-observer.ts'
import { sandboxObserver } from './observe/sandbox-observer.ts'
import { Worker } from './worker.ts'

/** Opens the sandbox that a worker's settings describe. */
export type OpenSandbox = typeof openSandbox

/** Joins the parts of a worker and runs it until a signal ends it. @param open opens its sandbox */
export async function runWorker(open: OpenSandbox): Promise<void> {
  const config = readWorkerConfig(process.env)
  const { workerId } = config
  const logger = serviceLogger({ name: 'isopod-worker', level: config.logLevel }).child({ worker: workerId })
  const catalogue = await loadCatalogue(config.catalogueFile)
  const networks = await loadNetworks(config.networkProfilesFile)
  const tenants = await loadTenants(config.tenantsFile)
  const metrics = createMetrics({
    listed: {
      language: catalogue.languages.map(({ name }) => name),
      status: STATUSES,
      image: catalogue.languages.map(({ image }) => image),
    },
  })
  let queue: Consumer | undefined
  const audit = auditLog({
    logger,
    append: config.audit.streamLength === undefined ? undefined : (entry) => queue?.audit(entry),
    content: config.audit.content,
  })
  queue = await openConsumer({
    ...config.redis,
    workerId,
    tenants,
    maxWaiting: config.maxWaiting,
    maxUntaken: config.maxUntaken,
    auditStreamLength: config.audit.streamLength,
    observe: queueObserver(metrics, logger),
  })
  const observeSandbox = sandboxObserver(metrics, logger, audit)
  const sandbox = await open(config, queue.deployment, catalogue, observeSandbox)
  const checker = await openPolicyChecker()
  const minimum = config.minimumPolicy
  const worker = new Worker({
    ...{ config, logger, catalogue, networks, metrics, audit, queue, sandbox, checker },
    gate: policyGate({ checker, minimum, observe: policyObserver(metrics, audit) }),
    onEgress: egressObserver(metrics, audit),
  })
  // Before the start: its health server answers, and it may take jobs, before the start has ended.
  onStopSignal((signal) => worker.stop(signal))
  await worker.start()
}
