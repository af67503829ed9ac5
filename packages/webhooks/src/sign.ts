import { createHmac } from 'node:crypto'

/** The signed parts of a webhook. */
export interface SignedContent {
  /** The same in each attempt, so that receivers can detect duplicates. */
  readonly id: string
  /** Time of this attempt, in seconds since 1970: receivers refuse old ones. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The headers of Standard Webhooks: one signature for each key.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(
  { id, timestamp, body }: SignedContent,
  keys: readonly Buffer[],
): Record<string, string> {
  const signatures = keys.map((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    return `v1,${digest}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
