import { openAccess } from '@isopod/access'
import { connect } from '@isopod/client'
import { ConfigError } from '@isopod/protocol'
import { isLoopback, Lifecycle, onStopSignal, runService, serviceLogger } from '@isopod/service-kit'
import { createMetricsOf } from '@isopod/telemetry'
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
/**
 * Connections that wait for the gateway to accept them; the kernel's `net.core.somaxconn` bounds it. With more than Node's 511
 * at once, Linux drops connections, whose clients try again after 1, 3 and 7 seconds.
 */
const BACKLOG = 4096

/** Joins the parts of a gateway and runs it until a signal ends it. */
async function main(): Promise<void> {
  const config = readGatewayConfig(process.env)
  const { queue, host, port, webhooks: settings } = config
  const drainMs = config.drainSeconds * 1000
  const logger = serviceLogger({ name: 'isopod-gateway', level: config.logLevel })
  const access = await openAccess(queue)
  const loopback = isLoopback(host)
  if (!loopback && !config.allowAnonymous && !(await access.keys.any())) {
    throw new ConfigError(
      `ISOPOD_BIND: there is no API key, so the gateway serves loopback only, got ${JSON.stringify(host)}; create a key with "isopod keys create", or set ISOPOD_GATEWAY_ALLOW_ANONYMOUS=true to let everyone run code`,
    )
  }
  const onNoWorker = () => logger.warn({}, 'no worker is running; submitted jobs wait until one starts')
  const client = await connect({ ...queue, onNoWorker })
  const metrics = createMetricsOf(GATEWAY_METRICS, { listed: { language: [], status: [], image: [] } })
  const drained = new AbortController()
  const rule = callbackRule(settings?.targets)
  const gate = new QueueGate(client, config.maxWaiting)
  const http = await createServer({
    ...{ config, logger, metrics, client, access },
    callers: new Callers(access, { allowed: config.allowAnonymous, loopback }),
    submissions: new Submissions({ client, access, gate, drained: drained.signal, callbackRule: rule }),
    callbackRule: rule,
  })
  let webhooks: Awaited<ReturnType<typeof openWebhooks>> | undefined

  const life = new Lifecycle(
    [
      { name: 'access', stop: () => access.close() },
      { name: 'client', stop: () => client.close() },
      {
        name: 'http',
        start: async () => {
          const url = await http.listen({ host, port, backlog: BACKLOG }).catch((cause: Error) => {
            throw new ConfigError(`PORT: ${cause.message}; set another, or 0 for any free one`, { cause })
          })
          logger.info({ url }, 'serving')
        },
        stop: () => http.close(),
      },
      {
        name: 'webhooks',
        start: async () => {
          webhooks = settings && (await openWebhooks({ queue, settings, metrics, logger }))
        },
        stop: () => webhooks?.close(drainMs),
      },
      {
        name: 'drain',
        stop: () => {
          setTimeout(() => drained.abort(stoppingRefusal()), drainMs)
          // Together, so that requests and webhooks have the same grace.
          return Promise.all([http.close(), webhooks?.close(drainMs)])
        },
      },
    ],
    { stopMs: drainMs + CLEAN_UP_MS, logger },
  )
  // Before the start: a process manager may send a signal as soon as it reads the log line `ready`.
  onStopSignal((signal) => life.stop(signal))
  await life.start()
}

runService('isopod-gateway', main)
