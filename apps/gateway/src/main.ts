import { openAccess } from '@isopod/access'
import { connect } from '@isopod/client'
import { ConfigError, publicMessageOf } from '@isopod/protocol'
import { isLoopback, onStopSignal, shutDown } from '@isopod/service-kit'
import { createLogger, createMetricsOf, SafeError } from '@isopod/telemetry'
import { callbackRule } from './callback-rule.ts'
import { Callers } from './callers.ts'
import { readGatewayConfig } from './config.ts'
import { GATEWAY_METRICS } from './gateway-metrics.ts'
import { stoppingRefusal } from './http/problem.ts'
import { QueueGate } from './queue-gate.ts'
import { createServer } from './server.ts'
import { Submissions } from './submissions.ts'
import { openWebhooks } from './webhooks/open-webhooks.ts'

/** Time to close connections, added to the grace for running requests. */
const CLEAN_UP_MS = 5_000

/** Joins the parts of a gateway and runs it until a signal ends it. */
async function main(): Promise<void> {
  const config = readGatewayConfig(process.env)
  const logger = createLogger({
    name: 'isopod-gateway',
    level: config.logLevel,
    publicMessage: publicMessageOf,
  })
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'a bug ended the gateway')
    process.exit(1)
  })
  const access = await openAccess(config.queue)
  const loopback = isLoopback(config.host)
  if (!loopback && !config.allowAnonymous && !(await access.keys.any())) {
    throw new ConfigError(
      `ISOPOD_BIND: there is no API key, so the gateway serves loopback only, got ${JSON.stringify(config.host)}; create a key with «isopod keys create», or set ISOPOD_GATEWAY_ALLOW_ANONYMOUS=true to let everyone run code`,
    )
  }
  const client = await connect(config.queue)
  const metrics = createMetricsOf(GATEWAY_METRICS, { listed: { language: [], status: [], image: [] } })
  const drained = new AbortController()
  const gate = new QueueGate(client, config.maxWaiting)
  const { webhooks: settings, queue } = config
  const rule = callbackRule(settings?.targets)
  const http = await createServer({
    config,
    logger,
    metrics,
    client,
    access,
    callers: new Callers(access, { allowed: config.allowAnonymous, loopback }),
    submissions: new Submissions({ client, access, gate, drained: drained.signal, callbackRule: rule }),
    callbackRule: rule,
  })
  const url = await http.listen({ host: config.host, port: config.port }).catch((cause: Error) => {
    throw new ConfigError(`PORT: ${cause.message}; set another, or 0 for any free one`, { cause })
  })
  const webhooks = settings && (await openWebhooks({ queue, settings, metrics, logger }))
  logger.info({ url }, 'serving')

  let stopping: Promise<boolean> | undefined
  onStopSignal((signal) => {
    if (stopping === undefined) {
      logger.info({ signal }, 'stopping')
      setTimeout(() => drained.abort(stoppingRefusal()), config.drainSeconds * 1000)
    }
    stopping ??= shutDown(
      [
        {
          name: 'requests and webhooks',
          run: () => Promise.all([http.close(), webhooks?.close(config.drainSeconds * 1000)]),
        },
        { name: 'client', run: () => client.close() },
        { name: 'access', run: () => access.close() },
      ],
      config.drainSeconds * 1000 + CLEAN_UP_MS,
      logger,
    )
    return stopping
  })
}

main().catch((error: unknown) => {
  // An operator's mistake is one sentence; any other error is a bug and shows where it happened, without quoted values.
  console.error(`isopod-gateway: ${publicMessageOf(error) ?? JSON.stringify(new SafeError(error))}`)
  process.exit(1)
})
