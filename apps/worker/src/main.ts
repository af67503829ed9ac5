import { openPolicyChecker } from '@isopod/policy'
import { publicMessageOf, STATUSES } from '@isopod/protocol'
import { type Consumer, openConsumer } from '@isopod/queue'
import { onStopSignal } from '@isopod/service-kit'
import { createLogger, createMetrics, SafeError } from '@isopod/telemetry'
import { auditLog } from './audit/audit-log.ts'
import { readConfig } from './config.ts'
import { loadCatalogue } from './document/load-catalogue.ts'
import { loadNetworks } from './network/profiles.ts'
import { observer } from './observe.ts'
import { openSandbox } from './open-sandbox.ts'
import { policyGate } from './policy-gate.ts'
import { selfTestCommand } from './self-test-command.ts'
import { Worker } from './worker.ts'

/** Joins the parts of a worker and runs it until a signal ends it. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const logger = createLogger({
    name: 'isopod-worker',
    level: config.logLevel,
    publicMessage: publicMessageOf,
  }).child({ worker: config.workerId })
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'a bug ended the worker')
    process.exit(1)
  })
  const catalogue = await loadCatalogue(config.catalogueFile)
  const networks = await loadNetworks(config.networkProfilesFile)
  let queue: Consumer | undefined
  const metrics = createMetrics({
    listed: {
      language: catalogue.languages.map(({ name }) => name),
      status: STATUSES,
      image: catalogue.languages.map(({ image }) => image),
    },
  })
  const audit = auditLog({
    logger,
    append: (entry) => queue?.audit(entry),
    content: config.audit.content,
  })
  const observe = observer(metrics, logger, audit)

  queue = await openConsumer({
    ...config.redis,
    workerId: config.workerId,
    auditStreamLength: config.audit.streamLength,
    observe: observe.queue,
  })
  const sandbox = await openSandbox(config, queue.deployment, catalogue, observe.sandbox)
  const checker = await openPolicyChecker()
  const gate = policyGate({ checker, minimum: config.minimumPolicy, observe: observe.policy })
  const worker = new Worker({
    config,
    logger,
    catalogue,
    networks,
    metrics,
    audit,
    queue,
    sandbox,
    checker,
    gate,
    onEgress: observe.egress,
  })
  await worker.start()

  onStopSignal(async (signal) => {
    logger.info({ signal }, 'stopping')
    const clean = await worker.stop()
    logger.info({ clean }, 'stopped')
    return clean
  })
}

const [mode] = process.argv.slice(2)
// Idle connections to the engine would keep the process for minutes.
const selfTest = () => selfTestCommand(process.env, process.stdout).then(() => process.exit())
const run = mode === 'self-test' ? selfTest() : main()
run.catch((error: unknown) => {
  // What the operator can mend is one sentence; anything else is a bug and shows where it is, without what it quotes.
  console.error(`isopod-worker: ${publicMessageOf(error) ?? JSON.stringify(new SafeError(error))}`)
  process.exit(1)
})
