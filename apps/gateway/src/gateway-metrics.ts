/** Every metric of a gateway. The key is the name of its handle. */
export const GATEWAY_METRICS = {
  requests: {
    kind: 'counter',
    name: 'isopod_gateway_requests_total',
    help: 'Requests by route and by the class of their status.',
    labels: { route: 'own', status: ['2xx', '3xx', '4xx', '5xx'] },
  },
  requestSeconds: {
    kind: 'histogram',
    name: 'isopod_gateway_request_seconds',
    help: 'From the first byte of a request to the last of its answer; a caller that waits for a result is in it.',
    labels: { route: 'own' },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  requestsInFlight: {
    kind: 'gauge',
    name: 'isopod_gateway_requests_in_flight',
    help: 'Requests without an answer yet, those that wait for a result included.',
    labels: {},
  },
  refusals: {
    kind: 'counter',
    name: 'isopod_gateway_refusals_total',
    help: 'Requests that were refused because of a key, a limit or a full queue.',
    labels: { reason: ['unauthorized', 'forbidden', 'rate_limited', 'budget_exceeded', 'queue_full'] },
  },
  webhookTries: {
    kind: 'counter',
    name: 'isopod_gateway_webhook_tries_total',
    help: 'Tries to deliver a webhook: taken by its receiver, to be tried again, or given up.',
    labels: { outcome: ['delivered', 'retried', 'dead'] },
  },
  deadWebhooks: {
    kind: 'gauge',
    name: 'isopod_gateway_webhooks_dead',
    help: 'Webhooks of the deployment that were given up and can be redelivered.',
    labels: {},
  },
} as const
