import type { Access, ApiKey, KeyScope } from '@isopod/access'
import type { PresentedKey } from './http/presented-key.ts'
import { RequestRefused } from './http/problem.ts'

/** How long the answer to "are there any keys?" is cached, in milliseconds. */
const CACHE_MS = 1_000

/** The caller of a request. */
export interface Caller {
  /** The tenant whose executions the caller may read and submit; undefined: all tenants. */
  readonly tenant: string | undefined
  /** Undefined for a caller without a key. */
  readonly key: ApiKey | undefined
}

/** A caller on the gateway's own host while no keys exist: the operator. */
const OPERATOR: Caller = { tenant: undefined, key: undefined }
/** Any other caller without a key: it has its own tenant and is not an admin. */
const ANONYMOUS: Caller = { tenant: 'default', key: undefined }

/** How callers without a key are treated. */
export interface AnonymousRules {
  /** Also serve callers from other hosts, or once keys exist, as the tenant `default`. */
  readonly allowed: boolean
  /** Only this host can reach the port: callers without a key are served until the first key is created. */
  readonly loopback: boolean
}

/** Authenticates and authorizes the callers of requests. */
export class Callers {
  readonly #access: Access
  readonly #anonymous: AnonymousRules
  #keyless: { readonly until: number; readonly answer: Promise<boolean> } | undefined

  constructor(access: Access, anonymous: AnonymousRules) {
    this.#access = access
    this.#anonymous = anonymous
  }

  /**
   * Resolves with the caller of a request, without a check of scopes.
   *
   * @throws {RequestRefused} 401, or 429 with the seconds to wait
   */
  async authenticate(presented: PresentedKey | undefined): Promise<Caller> {
    if (presented === undefined) return await this.#withoutKey()
    presented.found ??= this.#find(presented.token)
    const key = await presented.found
    return { tenant: key.scopes.includes('admin') ? undefined : key.tenant, key }
  }

  /**
   * Resolves with the caller of a request that needs a scope.
   *
   * @throws {RequestRefused} 401, 403, or 429 with the seconds to wait
   */
  async identify(presented: PresentedKey | undefined, scope: KeyScope): Promise<Caller> {
    const caller = await this.authenticate(presented)
    if (caller.tenant === undefined) return caller
    const { key } = caller
    if (key === undefined && scope === 'admin') throw keyNeeded()
    if (key !== undefined && !key.scopes.includes(scope)) {
      const detail = `This needs an API key with the scope ${scope}; this one has ${key.scopes.join(', ')}.`
      throw new RequestRefused({ status: 403, code: 'forbidden', detail })
    }
    return caller
  }

  async #find(token: string): Promise<ApiKey> {
    const key = await this.#access.keys.find(token)
    if (key === undefined) throw unauthorized('The API key is unknown, revoked or expired.')
    const { id, requestsPerMinute } = key
    const seconds = requestsPerMinute === null ? 0 : await this.#access.rates.take(id, requestsPerMinute)
    if (seconds === 0) return key
    const detail = `This API key may make ${requestsPerMinute} requests a minute; try again in ${seconds} s.`
    throw new RequestRefused({ status: 429, code: 'rate_limited', detail, retryAfterSeconds: seconds })
  }

  async #withoutKey(): Promise<Caller> {
    const { allowed, loopback } = this.#anonymous
    if (!allowed && !loopback) throw keyNeeded()
    if (loopback && (await this.#isKeyless())) return OPERATOR
    if (!allowed) throw keyNeeded()
    return ANONYMOUS
  }

  async #isKeyless(): Promise<boolean> {
    if (this.#keyless === undefined || this.#keyless.until < performance.now()) {
      const answer = this.#access.keys.any().then((any) => !any)
      this.#keyless = { until: performance.now() + CACHE_MS, answer }
      answer.catch(() => {
        this.#keyless = undefined
      })
    }
    return await this.#keyless.answer
  }
}

function keyNeeded(): RequestRefused {
  return unauthorized('Send an API key as "Authorization: Bearer …" or "X-API-Key: …".')
}

function unauthorized(detail: string): RequestRefused {
  return new RequestRefused({ status: 401, code: 'unauthorized', detail })
}
