export { type ListedWebhook, openWebhookQueue, type WebhookQueue } from '@isopod/queue'
export {
  type DelivererOptions,
  type WebhookContent,
  WebhookDeliverer,
  type WebhookEvent,
} from './deliverer.ts'
export { newWebhookSecret, WebhookSecrets } from './secrets.ts'
export { parseTargetRules, refusedKind, type TargetRules } from './targets.ts'
