import {
  type Environment,
  flagVariable,
  logLevelVariable,
  numberVariable,
  QUEUE_VARIABLES,
  readEnvironment,
} from '@isopod/service-kit'
import type { LogLevel } from '@isopod/telemetry'
import { z } from 'zod'

const MIB = 1024 * 1024
const HOSTS = 'must be host names or addresses without ports, between commas'

/** One line of reason per variable: what it decides, and why it has its default. */
const variables = z.object({
  ...QUEUE_VARIABLES,
  LOG_LEVEL: logLevelVariable.default('info'),
  /** Tenant of all jobs of this server: they share one place in the queue, apart from those of other producers. */
  ISOPOD_MCP_TENANT: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
      error: 'must be 1 to 64 characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit',
    })
    .default('mcp'),
  /** How long a call waits for its result before its job is cancelled: the 600 s that a job may take, and 300 s in the queue. */
  ISOPOD_MCP_WAIT_SECONDS: numberVariable(1, 86_400).default(900),
  /** Calls at once; one more is refused. A model that starts hundreds has lost its way. */
  ISOPOD_MCP_MAX_CALLS: numberVariable(1, 10_000).default(100),
  /** Size of one message: the largest job (18 MiB of code, stdin and tests) and its JSON escapes. */
  ISOPOD_MCP_MAX_MESSAGE_MB: numberVariable(1, 256).default(24),
  /** HTTP: a session that is idle for this long is closed. Clients then open a new one by themselves. */
  ISOPOD_MCP_SESSION_IDLE_SECONDS: numberVariable(1, 86_400).default(1800),
  /** HTTP: names by which clients may address this server, beside those of loopback. None: that is what stops DNS rebinding. */
  ISOPOD_MCP_ALLOWED_HOSTS: z
    .string()
    .regex(/^[A-Za-z0-9.:[\]_-]+(\s*,\s*[A-Za-z0-9.:[\]_-]+)*$/, { error: HOSTS })
    .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
    .default([]),
  /** HTTP: listen beyond loopback although this server asks for no key. Off: anyone who reaches it can run code. */
  ISOPOD_MCP_ALLOW_REMOTE_WITHOUT_KEYS: flagVariable.default(false),
})

/** The server's settings, as `main.ts` hands them out. */
export interface McpConfig {
  readonly logLevel: LogLevel
  readonly queue: { readonly url: string; readonly prefix: string; readonly allowEviction: boolean }
  readonly tenant: string
  readonly waitSeconds: number
  readonly maxCalls: number
  readonly maxMessageBytes: number
  readonly http: {
    readonly sessionIdleSeconds: number
    readonly allowedHosts: readonly string[]
    readonly allowRemote: boolean
  }
}

/**
 * Reads the server's settings.
 *
 * @throws {ConfigError} naming each wrong or unknown variable
 */
export function readConfig(env: Environment): McpConfig {
  const v = readEnvironment(variables, env, { prefix: 'ISOPOD_MCP_' })
  return {
    logLevel: v.LOG_LEVEL,
    queue: { url: v.REDIS_URL, prefix: v.ISOPOD_QUEUE_PREFIX, allowEviction: v.ISOPOD_ALLOW_EVICTION },
    tenant: v.ISOPOD_MCP_TENANT,
    waitSeconds: v.ISOPOD_MCP_WAIT_SECONDS,
    maxCalls: v.ISOPOD_MCP_MAX_CALLS,
    maxMessageBytes: v.ISOPOD_MCP_MAX_MESSAGE_MB * MIB,
    http: {
      sessionIdleSeconds: v.ISOPOD_MCP_SESSION_IDLE_SECONDS,
      allowedHosts: v.ISOPOD_MCP_ALLOWED_HOSTS,
      allowRemote: v.ISOPOD_MCP_ALLOW_REMOTE_WITHOUT_KEYS,
    },
  }
}
