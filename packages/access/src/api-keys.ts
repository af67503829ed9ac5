import { ConfigError } from '@isopod/protocol'
import type { DeploymentRedis } from '@isopod/queue'
import {
  type ApiKey,
  apiKeySchema,
  givenToken,
  isSecretOf,
  type KeyScope,
  newToken,
  parseToken,
} from './api-key.ts'

/** Used for the comparison if the key does not exist, so that both cases take the same time. */
const NO_KEY = { secretHash: '0'.repeat(64) }

/** Options of a new key. */
export interface NewApiKey {
  readonly name: string
  readonly tenant: string
  readonly scopes: readonly KeyScope[]
  /** Milliseconds since 1970. @default never */
  readonly expiresAt?: number
  /** @default no limit */
  readonly requestsPerMinute?: number
  /** @default no limit */
  readonly maxInFlight?: number
  /** A token that another program has made and keeps. The key replaces the one with its id. @default a new one */
  readonly token?: string
}

/** The API keys of a deployment: one Redis hash, `id` → {@link ApiKey} as JSON. A revoked key is deleted. */
export class ApiKeys {
  readonly #ask: DeploymentRedis['ask']
  readonly #now: DeploymentRedis['now']
  readonly #hash: string

  constructor({ keys, ask, now }: DeploymentRedis) {
    this.#ask = ask
    this.#now = now
    this.#hash = `${keys.tag}:access:keys`
  }

  /**
   * Makes a key. The token is returned once and stored nowhere.
   *
   * @throws {ConfigError} if the given token is none
   */
  async create(wanted: NewApiKey): Promise<{ key: ApiKey; token: string }> {
    const parts = wanted.token === undefined ? newToken() : givenToken(wanted.token)
    if (parts === undefined) {
      throw new ConfigError(
        'the token must be isopod_, 12 of a-z and 0-9, _, and 43 of A-Z, a-z, 0-9, "-" and "_"',
      )
    }
    const { id, token, secretHash } = parts
    const key: ApiKey = {
      id,
      name: wanted.name,
      tenant: wanted.tenant,
      scopes: [...wanted.scopes],
      secretHash,
      createdAt: this.#now(),
      expiresAt: wanted.expiresAt ?? null,
      requestsPerMinute: wanted.requestsPerMinute ?? null,
      maxInFlight: wanted.maxInFlight ?? null,
    }
    await this.#ask((redis) => redis.hset(this.#hash, id, JSON.stringify(key)))
    return { key, token }
  }

  /** All keys, the oldest first. */
  async list(): Promise<ApiKey[]> {
    const values = await this.#ask((redis) => redis.hvals(this.#hash))
    return values
      .flatMap((text) => parseStored(text) ?? [])
      .sort((one, other) => one.createdAt - other.createdAt)
  }

  /** Deletes a key; its next request is refused. Resolves with whether there was one. */
  async revoke(id: string): Promise<boolean> {
    return (await this.#ask((redis) => redis.hdel(this.#hash, id))) === 1
  }

  /** Whether any key exists. */
  async any(): Promise<boolean> {
    return (await this.#ask((redis) => redis.hlen(this.#hash))) > 0
  }

  /** The key of a token; undefined if the token is unknown, wrong, revoked or expired. */
  async find(token: string): Promise<ApiKey | undefined> {
    const parts = parseToken(token)
    if (parts === undefined) return undefined
    const text = await this.#ask((redis) => redis.hget(this.#hash, parts.id))
    const key = text === null ? undefined : parseStored(text)
    const matches = isSecretOf(key ?? NO_KEY, parts.secret)
    if (key === undefined || !matches) return undefined
    return key.expiresAt !== null && key.expiresAt <= this.#now() ? undefined : key
  }
}

function parseStored(text: string): ApiKey | undefined {
  try {
    return apiKeySchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
