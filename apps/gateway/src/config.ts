import { ConfigError, type Policy } from '@isopod/protocol'
import {
  type Environment,
  flagVariable,
  logLevelVariable,
  numberVariable,
  policyVariable,
  QUEUE_VARIABLES,
  readEnvironment,
} from '@isopod/service-kit'
import type { LogLevel } from '@isopod/telemetry'
import { parseTargetRules, type TargetRules, WebhookSecrets } from '@isopod/webhooks'
import { z } from 'zod'

/** Other services whose endpoints a gateway can serve. */
export const DROP_INS = ['judge0', 'piston', 'sandboxfusion'] as const

/** A service whose endpoints a gateway can serve. */
export type DropIn = (typeof DROP_INS)[number]

const dropInsVariable = z.string().transform((text, context): DropIn[] => {
  const names = commaSeparated(text)
  const known = DROP_INS.filter((name) => names.includes(name))
  if (names.every((name) => known.some((one) => one === name))) return known
  context.addIssue({
    code: 'custom',
    message: `must be a list of ${DROP_INS.join(', ')}, separated by commas`,
  })
  return z.NEVER
})

const targetsVariable = z.string().transform((text, context): TargetRules => {
  try {
    return parseTargetRules(commaSeparated(text))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    context.addIssue({ code: 'custom', message: error.message })
    return z.NEVER
  }
})

/** One line of reason per variable: what it decides, and why it has its default. */
const variables = z.object({
  ...QUEUE_VARIABLES,
  LOG_LEVEL: logLevelVariable.default('info'),
  /** Port of the API; 0 picks a free one. 8007 is that of the service plan. */
  PORT: numberVariable(0, 65_535).default(8007),
  /** Address that port is bound to. Loopback: without keys, everyone who reaches the port may run code. */
  ISOPOD_BIND: z.string().default('127.0.0.1'),
  /** Also serve callers without an API key from other hosts, or once keys exist, as the tenant `default`. */
  ISOPOD_GATEWAY_ALLOW_ANONYMOUS: flagVariable.default(false),
  /** Policy of `POST /execute` requests that have none. The service plan checks every source before it runs it. */
  ISOPOD_GATEWAY_EXECUTE_POLICY: policyVariable.default({ mode: 'enforce', rules: 'strict' }),
  /** Maximum size of a request body in MiB. A job of maximum size fits in 16 MiB. */
  ISOPOD_GATEWAY_BODY_MB: numberVariable(1, 64).default(16),
  /** Maximum number of waiting jobs; beyond it a submit is a 503 with `Retry-After`. */
  ISOPOD_GATEWAY_MAX_WAITING: numberVariable(1, 10_000_000).default(10_000),
  /** Origins whose pages may call, separated by commas. Pages of all other sites are refused. */
  ISOPOD_GATEWAY_CORS_ORIGINS: z.string().default(''),
  /** APIs of other services to serve, separated by commas. None by default: each is one more way to run code. */
  ISOPOD_GATEWAY_DROP_INS: dropInsVariable.default([]),
  /** Serve the page at `/`. It asks for an API key once keys exist. */
  ISOPOD_GATEWAY_PAGE: flagVariable.default(true),
  /** Serve bull-board at `/queues`, read-only; for admins once keys exist. */
  ISOPOD_GATEWAY_BOARD: flagVariable.default(true),
  /** Signs webhooks: `whsec_…`, or several separated by commas, the current one first. None: a `callbackUrl` is refused. */
  ISOPOD_GATEWAY_WEBHOOK_SECRET: z.string().default(''),
  /** Names, addresses and ranges that webhooks may call besides the public internet, separated by commas. */
  ISOPOD_GATEWAY_WEBHOOK_ALLOW: targetsVariable.default(parseTargetRules([])),
  /** Timeout of one attempt, from the resolution of the name to the response. */
  ISOPOD_GATEWAY_WEBHOOK_TIMEOUT_SECONDS: numberVariable(0.1, 60, false).default(15),
  /** Maximum attempts per webhook. By default the last one is 14 hours after the first; results are kept for a day. */
  ISOPOD_GATEWAY_WEBHOOK_TRIES: numberVariable(1, 20).default(10),
  /** Pause after the first failed attempt; it triples with each further one. */
  ISOPOD_GATEWAY_WEBHOOK_PAUSE_SECONDS: numberVariable(0.01, 3600, false).default(5),
  /** Concurrent attempts. One tenant has at most half of them, one of its targets a quarter. */
  ISOPOD_GATEWAY_WEBHOOK_CONCURRENCY: numberVariable(1, 1000).default(64),
  /** How long a shutdown waits for `POST /execute` requests and webhook attempts. Then it cancels and aborts them. */
  ISOPOD_GATEWAY_DRAIN_SECONDS: numberVariable(0, 3600).default(10),
})

/** Names of all settings. */
export const GATEWAY_SETTINGS: readonly string[] = Object.keys(variables.shape)

/** How webhooks are delivered. */
export interface WebhookSettings {
  readonly secrets: WebhookSecrets
  readonly targets: TargetRules
  readonly timeoutMs: number
  readonly maxTries: number
  readonly firstPauseMs: number
  readonly concurrency: number
}

/** The gateway's settings as values; nothing else reads the environment. */
export interface GatewayConfig {
  readonly logLevel: LogLevel
  readonly queue: {
    readonly url: string
    readonly prefix: string
    readonly allowEviction: boolean
    readonly resultTtlSeconds: number
  }
  readonly host: string
  readonly port: number
  readonly allowAnonymous: boolean
  readonly executePolicy: Policy
  readonly bodyBytes: number
  readonly maxWaiting: number
  readonly corsOrigins: readonly string[]
  readonly dropIns: readonly DropIn[]
  readonly page: boolean
  readonly board: boolean
  readonly drainSeconds: number
  /** Undefined if the gateway delivers no webhooks. */
  readonly webhooks: WebhookSettings | undefined
}

/**
 * Reads the gateway's settings.
 *
 * @throws {ConfigError} naming each wrong variable, what is allowed and what was given
 */
export function readGatewayConfig(env: Environment): GatewayConfig {
  const v = readEnvironment(variables, env, { prefix: 'ISOPOD_GATEWAY_' })
  return {
    logLevel: v.LOG_LEVEL,
    queue: {
      url: v.REDIS_URL,
      prefix: v.ISOPOD_QUEUE_PREFIX,
      allowEviction: v.ISOPOD_ALLOW_EVICTION,
      resultTtlSeconds: v.ISOPOD_RESULT_TTL_SECONDS,
    },
    host: v.ISOPOD_BIND,
    port: v.PORT,
    allowAnonymous: v.ISOPOD_GATEWAY_ALLOW_ANONYMOUS,
    executePolicy: v.ISOPOD_GATEWAY_EXECUTE_POLICY,
    bodyBytes: v.ISOPOD_GATEWAY_BODY_MB * 1024 * 1024,
    maxWaiting: v.ISOPOD_GATEWAY_MAX_WAITING,
    corsOrigins: commaSeparated(v.ISOPOD_GATEWAY_CORS_ORIGINS),
    dropIns: v.ISOPOD_GATEWAY_DROP_INS,
    page: v.ISOPOD_GATEWAY_PAGE,
    board: v.ISOPOD_GATEWAY_BOARD,
    drainSeconds: v.ISOPOD_GATEWAY_DRAIN_SECONDS,
    webhooks: v.ISOPOD_GATEWAY_WEBHOOK_SECRET === '' ? undefined : webhookSettings(v),
  }
}

function webhookSettings(v: z.output<typeof variables>): WebhookSettings {
  return {
    secrets: webhookSecrets(v.ISOPOD_GATEWAY_WEBHOOK_SECRET),
    targets: v.ISOPOD_GATEWAY_WEBHOOK_ALLOW,
    timeoutMs: v.ISOPOD_GATEWAY_WEBHOOK_TIMEOUT_SECONDS * 1000,
    maxTries: v.ISOPOD_GATEWAY_WEBHOOK_TRIES,
    firstPauseMs: v.ISOPOD_GATEWAY_WEBHOOK_PAUSE_SECONDS * 1000,
    concurrency: v.ISOPOD_GATEWAY_WEBHOOK_CONCURRENCY,
  }
}

/** Not part of the schema, because its errors would quote the secret. */
function webhookSecrets(text: string): WebhookSecrets {
  try {
    return new WebhookSecrets(text)
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`ISOPOD_GATEWAY_WEBHOOK_SECRET: ${error.message}`)
    throw error
  }
}

function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
