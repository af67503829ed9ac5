import { loadCatalogue } from '@isopod/languages'
import { IsopodError, STATUSES } from '@isopod/protocol'
import { openConsumer } from '@isopod/queue'
import { openDockerSandbox } from '@isopod/sandbox'
import { createLogger, createMetrics } from '@isopod/telemetry'
import { readConfig } from './config.ts'
import { observer } from './observe.ts'
import { selfTestCommand } from './self-test-command.ts'
import { startWorker } from './worker.ts'

/** Joins the parts of a worker and runs it until a signal ends it. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const logger = createLogger({ name: 'isopod-worker', level: config.logLevel }).child({
    worker: config.workerId,
  })
  const catalogue = await loadCatalogue(config.catalogueFile)
  const metrics = createMetrics({
    listed: {
      language: catalogue.languages.map(({ name }) => name),
      status: STATUSES,
      image: catalogue.languages.map(({ image }) => image),
    },
  })
  const observe = observer(metrics, logger)

  const queue = await openConsumer({ ...config.redis, workerId: config.workerId, observe: observe.queue })
  const sandbox = await openDockerSandbox({
    ...config.engine,
    deployment: queue.deployment,
    owner: config.workerId,
    user: config.user,
    ...(config.engine.stack !== undefined && { labels: { 'isopod.stack': config.engine.stack } }),
    observe: observe.sandbox,
  })
  const worker = await startWorker({ config, logger, catalogue, metrics, queue, sandbox })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, async () => {
      logger.info({ signal }, 'stopping')
      process.exit((await worker.stop()) ? 0 : 1)
    })
  }
}

const [mode] = process.argv.slice(2)
// Idle connections to the engine would keep the process for minutes.
const selfTest = () => selfTestCommand(process.env, process.stdout).then(() => process.exit())
const run = mode === 'self-test' ? selfTest() : main()
run.catch((error: unknown) => {
  // What the operator can mend is one sentence; anything else is a bug and shows where it is.
  console.error(error instanceof IsopodError ? `isopod-worker: ${error.message}` : error)
  process.exit(1)
})
