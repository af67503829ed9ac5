import { createHmac, randomBytes } from 'node:crypto'
import { ConfigError } from '@isopod/protocol'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** Minimum and maximum of Standard Webhooks. */
const MIN_BYTES = 24
const MAX_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The signing secrets of a deployment. Secrets of tenants are derived from them; none is stored in Redis. */
export class WebhookSecrets {
  /** The current secret first. All of them sign, so that receivers can switch one by one. */
  readonly #masters: readonly Buffer[]

  /**
   * @param text `whsec_…`, or several separated by commas, the current one first
   * @throws {ConfigError} that does not quote it
   */
  constructor(text: string) {
    this.#masters = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(masterOf)
    if (this.#masters.length === 0) throw invalid()
  }

  /** Keys that sign the webhooks of a tenant, the current one first. */
  keysOf(tenant: string): readonly Buffer[] {
    return this.#masters.map((master) =>
      createHmac('sha256', master).update(`isopod webhooks of tenant ${tenant}`).digest(),
    )
  }

  /** The current secret of a tenant, `whsec_…`, with which receivers verify. */
  secretOf(tenant: string): string {
    return secretText(this.keysOf(tenant)[0] ?? Buffer.alloc(0))
  }
}

/** A new random secret for a deployment: `whsec_…`. */
export function newWebhookSecret(): string {
  return secretText(randomBytes(SECRET_BYTES))
}

function secretText(key: Buffer): string {
  return `${PREFIX}${key.toString('base64')}`
}

function masterOf(text: string): Buffer {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  const key = Buffer.from(encoded, 'base64')
  if (!BASE64.test(encoded) || key.length < MIN_BYTES || key.length > MAX_BYTES) throw invalid()
  return key
}

function invalid(): ConfigError {
  return new ConfigError(
    `must be ${PREFIX} and the base64 of ${MIN_BYTES} to ${MAX_BYTES} random bytes, such as "whsec_$(openssl rand -base64 32)"; several are separated by commas, the current one first`,
  )
}
