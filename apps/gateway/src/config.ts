import type { Policy } from '@isopod/protocol'
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

/** One line of reason per variable: what it decides, and why it has its default. */
const variables = z.object({
  ...QUEUE_VARIABLES,
  LOG_LEVEL: logLevelVariable.default('info'),
  /** Port of the API; 0 picks a free one. 8007 is that of the service plan. */
  PORT: numberVariable(0, 65_535).default(8007),
  /** Address that port is bound to. Loopback: without keys, everyone who reaches the port may run code. */
  ISOPOD_BIND: z.string().default('127.0.0.1'),
  /** Serve callers without an API key, wherever they come from. */
  ISOPOD_GATEWAY_ALLOW_ANONYMOUS: flagVariable.default(false),
  /** Policy of `POST /execute`, unless the request has its own. The service plan checks every source before it runs it. */
  ISOPOD_GATEWAY_EXECUTE_POLICY: policyVariable.default({ mode: 'enforce', rules: 'strict' }),
  /** Largest request. A job of the largest allowed size fits in 16 MiB. */
  ISOPOD_GATEWAY_BODY_MB: numberVariable(1, 64).default(16),
  /** Jobs that may wait; beyond that, submits get 503 and try again later. */
  ISOPOD_GATEWAY_MAX_WAITING: numberVariable(1, 10_000_000).default(10_000),
  /** Origins whose pages may call, separated by commas. None: browsers refuse. */
  ISOPOD_GATEWAY_CORS_ORIGINS: z.string().default(''),
  /** Services whose endpoints are served too, separated by commas. None: each is one more way to run code. */
  ISOPOD_GATEWAY_DROP_INS: dropInsVariable.default([]),
  /** Serve the page at `/`. It asks for an API key as soon as there are keys. */
  ISOPOD_GATEWAY_PAGE: flagVariable.default(true),
  /** Serve BullMQ's board of the queue at `/queues`, to look at only; with keys, for admins. */
  ISOPOD_GATEWAY_BOARD: flagVariable.default(true),
  /** How long a shutdown lets callers of `POST /execute` wait; then their executions are cancelled. */
  ISOPOD_GATEWAY_DRAIN_SECONDS: numberVariable(0, 3600).default(10),
})

/** Names of all settings. */
export const GATEWAY_SETTINGS: readonly string[] = Object.keys(variables.shape)

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
  }
}

function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
