import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** Scopes of a key: submit and cancel executions, read them, or everything for every tenant. */
export const KEY_SCOPES = ['submit', 'read', 'admin'] as const

/** One of {@link KEY_SCOPES}. */
export type KeyScope = (typeof KEY_SCOPES)[number]

/** A key as it is stored, without its secret. */
export const apiKeySchema = z.object({
  id: z.string(),
  /** For people. */
  name: z.string(),
  /** The key submits for this tenant and sees only its executions. */
  tenant: z.string(),
  scopes: z.array(z.enum(KEY_SCOPES)),
  /** SHA-256 of the secret, in hex. The secret has 256 random bits, so a slow hash would add nothing. */
  secretHash: z.string(),
  /** Milliseconds since 1970, as all times here. */
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
  /** Requests in a minute; null: no limit. */
  requestsPerMinute: z.number().nullable(),
  /** Executions that are not finished, at once; null: no limit. */
  maxInFlight: z.number().nullable(),
})

/** A key as it is stored. */
export type ApiKey = z.infer<typeof apiKeySchema>

const TOKEN = /^isopod_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/

/** A new id, its secret, and the token that a caller presents. */
export function newToken(): { id: string; token: string; secretHash: string } {
  const id = randomBytes(16).toString('hex').slice(0, 12)
  const secret = randomBytes(32).toString('base64url')
  return { id, token: `isopod_${id}_${secret}`, secretHash: hash(secret).toString('hex') }
}

/** The parts of a token that another program has made: `isopod_`, 12 of a-z and 0-9, `_`, 43 of A-Z, a-z, 0-9, `-` and `_`. */
export function givenToken(token: string): ReturnType<typeof newToken> | undefined {
  const parts = parseToken(token)
  return parts && { id: parts.id, token, secretHash: hash(parts.secret).toString('hex') }
}

/** The parts of a token; undefined for any other text. */
export function parseToken(token: string): { id: string; secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(token) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/** Whether the secret is that of the key, in constant time. */
export function isSecretOf(key: Pick<ApiKey, 'secretHash'>, secret: string): boolean {
  return timingSafeEqual(Buffer.from(key.secretHash, 'hex'), hash(secret))
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
