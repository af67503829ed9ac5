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

/** Every environment variable of a gateway. `npm run schemas` writes the README's table from it. */
export const GATEWAY_SETTINGS = z.object({
  ...QUEUE_VARIABLES,
  LOG_LEVEL: logLevelVariable.default('info').describe('minimum level of log lines'),
  PORT: numberVariable(0, 65_535).default(8007).describe('port of the API; 0: any free one'),
  ISOPOD_BIND: z
    .string()
    .default('127.0.0.1')
    .describe('address of that port; without keys, anyone who reaches it may run code'),
  ISOPOD_GATEWAY_ALLOW_ANONYMOUS: flagVariable
    .default(false)
    .describe('serve callers without a key from other hosts and once keys exist, as the tenant `default`'),
  ISOPOD_GATEWAY_EXECUTE_POLICY: policyVariable.default({ mode: 'enforce', rules: 'strict' }).meta({
    description: 'policy of `POST /execute` requests that have no `policy`',
    shownDefault: 'enforce:strict',
  }),
  ISOPOD_GATEWAY_BODY_MB: numberVariable(1, 64)
    .default(16)
    .describe('maximum size of a request body in MiB; the largest job fits in 16'),
  ISOPOD_GATEWAY_MAX_WAITING: numberVariable(1, 10_000_000)
    .default(10_000)
    .describe('maximum number of waiting jobs; beyond it a submit is a 503'),
  ISOPOD_GATEWAY_CORS_ORIGINS: z
    .string()
    .default('')
    .describe('origins whose pages may call, separated by commas'),
  ISOPOD_GATEWAY_DROP_INS: dropInsVariable
    .default([])
    .describe(`APIs to serve: ${DROP_INS.map((name) => `\`${name}\``).join(', ')}, separated by commas`),
  ISOPOD_GATEWAY_PAGE: flagVariable.default(true).describe('serve the page at `/`'),
  ISOPOD_GATEWAY_BOARD: flagVariable.default(true).describe('serve bull-board at `/queues`, read-only'),
  ISOPOD_GATEWAY_WEBHOOK_SECRET: z
    .string()
    .default('')
    .describe('signs webhooks: `whsec_…`, or several, the current one first; without it none are sent'),
  ISOPOD_GATEWAY_WEBHOOK_ALLOW: targetsVariable.default(parseTargetRules([])).meta({
    description: 'names, addresses and ranges that webhooks may call besides the public internet',
    shownDefault: 'none',
  }),
  ISOPOD_GATEWAY_WEBHOOK_TIMEOUT_SECONDS: numberVariable(0.1, 60, false)
    .default(15)
    .describe('timeout of one attempt, from the resolution of the name to the response'),
  ISOPOD_GATEWAY_WEBHOOK_TRIES: numberVariable(1, 20)
    .default(10)
    .describe('maximum attempts per webhook; by default the last one is after 14 hours'),
  ISOPOD_GATEWAY_WEBHOOK_PAUSE_SECONDS: numberVariable(0.01, 3600, false)
    .default(5)
    .describe('pause after the first failed attempt; triples with each further one'),
  ISOPOD_GATEWAY_WEBHOOK_CONCURRENCY: numberVariable(1, 1000)
    .default(64)
    .describe('concurrent attempts; at most half for one tenant, a quarter for one target'),
  ISOPOD_GATEWAY_DRAIN_SECONDS: numberVariable(0, 3600)
    .default(10)
    .describe('how long a shutdown waits for `POST /execute` requests and webhook attempts'),
})

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
  const v = readEnvironment(GATEWAY_SETTINGS, env, { prefix: 'ISOPOD_GATEWAY_' })
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

function webhookSettings(v: z.output<typeof GATEWAY_SETTINGS>): WebhookSettings {
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
