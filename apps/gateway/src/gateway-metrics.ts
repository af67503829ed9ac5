/** Every metric of a gateway. The key is the name of its handle. */
export const GATEWAY_METRICS = {
  requests: {
    kind: 'counter',
    name: 'isopod_gateway_requests_total',
    help: 'Requests by route and status class.',
    labels: { route: 'own', status: ['2xx', '3xx', '4xx', '5xx'] },
  },
  requestSeconds: {
    kind: 'histogram',
    name: 'isopod_gateway_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response, including waits for a result.',
    labels: { route: 'own' },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  requestsInFlight: {
    kind: 'gauge',
    name: 'isopod_gateway_requests_in_flight',
    help: 'Requests without a response yet, including those that wait for a result.',
    labels: {},
  },
  refusals: {
    kind: 'counter',
    name: 'isopod_gateway_refusals_total',
    help: 'Requests refused because of a key, a limit, a full queue or a full Redis.',
    labels: {
      reason: ['unauthorized', 'forbidden', 'rate_limited', 'budget_exceeded', 'queue_full', 'storage_full'],
    },
  },
  webhookTries: {
    kind: 'counter',
    name: 'isopod_gateway_webhook_tries_total',
    help: 'Attempts to deliver a webhook: delivered, to be retried, or dead (no further attempts).',
    labels: { outcome: ['delivered', 'retried', 'dead'] },
  },
  deadWebhooks: {
    kind: 'gauge',
    name: 'isopod_gateway_webhooks_dead',
    help: 'Dead webhooks of the deployment, which can be redelivered.',
    labels: {},
  },
} as const
