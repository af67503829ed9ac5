import { createHmac, timingSafeEqual } from 'node:crypto'

/** Header that carries the signature of a callback. */
export const SIGNATURE_HEADER = 'isopod-signature'

/** Maximum difference between the time of a signature and now, in seconds. */
const TOLERANCE_SECONDS = 300

/** Options of {@link verifyCallback}. */
export interface VerifyOptions {
  /** Older signatures are refused, against replay. @default 300 */
  readonly toleranceSeconds?: number | undefined
  /** Epoch milliseconds. @default Date.now() */
  readonly now?: number | undefined
}

/**
 * The value of the header: `t=<epoch seconds>,v1=<hexadecimal HMAC-SHA256 of "<t>.<body>">`.
 *
 * @param seconds when it is sent, in epoch seconds
 */
export function signCallback(body: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${hmac(body, secret, seconds).toString('hex')}`
}

/**
 * Whether a request is a genuine callback: signed with the secret, unchanged, and recent.
 *
 * @param body the raw body of the request
 * @param signature the header `isopod-signature`
 *
 * @example
 * ```ts
 * if (!verifyCallback(body, request.headers['isopod-signature'], secret)) return reply.code(401).send()
 * const summary = JSON.parse(body) as BatchSummary
 * ```
 */
export function verifyCallback(
  body: string | Uint8Array,
  signature: string | readonly string[] | undefined,
  secret: string,
  options: VerifyOptions = {},
): boolean {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = options
  // Anyone can sign with an empty secret.
  if (typeof signature !== 'string' || secret === '') return false
  const [, seconds = '', digest = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  if (digest === '' || Math.abs(now / 1000 - Number(seconds)) > toleranceSeconds) return false
  return timingSafeEqual(hmac(body, secret, Number(seconds)), Buffer.from(digest, 'hex'))
}

function hmac(body: string | Uint8Array, secret: string, seconds: number): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
}
