import type { Logger, MetricHandles, MetricsExposition } from '@isopod/telemetry'
import { openWebhookQueue, WebhookDeliverer, type WebhookEvent } from '@isopod/webhooks'
import type { GatewayConfig, WebhookSettings } from '../config.ts'
import type { GATEWAY_METRICS } from '../gateway-metrics.ts'
import { webhookContent } from './webhook-content.ts'

/** Dependencies of {@link openWebhooks}. */
export interface WebhookParts {
  readonly queue: GatewayConfig['queue']
  readonly settings: WebhookSettings
  readonly metrics: MetricHandles<typeof GATEWAY_METRICS> & MetricsExposition
  readonly logger: Logger
}

/** Delivers webhooks until it is closed. The gateways of a deployment share the work. */
export async function openWebhooks({ queue: options, settings, metrics, logger }: WebhookParts) {
  const queue = await openWebhookQueue(options)
  const deliverer = new WebhookDeliverer({
    ...settings,
    queue,
    contentOf: webhookContent,
    observe: (event) => observe(event, metrics, logger),
  })
  metrics.onScrape(async () => metrics.deadWebhooks.set({}, await queue.deadCount()))
  deliverer.start()
  let closing: Promise<void> | undefined
  return {
    /** Idempotent: every call returns the same promise. */
    close(graceMs: number): Promise<void> {
      closing ??= deliverer.stop(graceMs).then(() => queue.close())
      return closing
    },
  }
}

/** Logs no URLs, because they can hold secrets; `isopod webhooks list` shows them. */
function observe(event: WebhookEvent, metrics: WebhookParts['metrics'], logger: Logger): void {
  if (event.type === 'error') {
    logger.error({ err: event.error }, 'a webhook could not be taken or settled')
    return
  }
  metrics.webhookTries.inc({ outcome: event.type })
  const { id, tenant, tries } = event.webhook
  const fields = { executionId: id, tenant, tries, ...('reason' in event && { reason: event.reason }) }
  if (event.type === 'delivered') logger.debug(fields, 'delivered a webhook')
  else if (event.type === 'retried') logger.info(fields, 'a webhook is tried again later')
  else logger.warn(fields, 'gave a webhook up; "isopod webhooks list --failed" lists such webhooks')
}
