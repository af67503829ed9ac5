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
const HOSTS = 'must be host names or addresses without ports, separated by commas'

/** Every environment variable of the server. `npm run schemas` writes the README's table from it. */
export const MCP_SETTINGS = z.object({
  ...QUEUE_VARIABLES,
  LOG_LEVEL: logLevelVariable.default('info').describe('minimum level of log lines, on stderr'),
  ISOPOD_MCP_TENANT: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
      error: 'must be 1 to 64 characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit',
    })
    .default('mcp')
    .describe('tenant of all jobs'),
  ISOPOD_MCP_WAIT_SECONDS: numberVariable(1, 86_400)
    .default(900)
    .describe('how long a call waits for its result before it cancels the job'),
  ISOPOD_MCP_MAX_CALLS: numberVariable(1, 10_000).default(100).describe('concurrent calls of all clients'),
  ISOPOD_MCP_MAX_MESSAGE_MB: numberVariable(1, 256)
    .default(24)
    .describe('maximum size of a message in MiB; the largest job fits in 24'),
  ISOPOD_MCP_SESSION_IDLE_SECONDS: numberVariable(1, 86_400)
    .default(1800)
    .describe('HTTP: how long an unused session stays open; clients then open another one'),
  ISOPOD_MCP_ALLOWED_HOSTS: z
    .string()
    .regex(/^[A-Za-z0-9.:[\]_-]+(\s*,\s*[A-Za-z0-9.:[\]_-]+)*$/, { error: HOSTS })
    .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
    .default([])
    .describe('HTTP: allowed host names besides loopback, separated by commas; stops DNS rebinding'),
  ISOPOD_MCP_ALLOW_REMOTE_WITHOUT_KEYS: flagVariable
    .default(false)
    .describe('HTTP: listen on addresses other than loopback, where anyone may run code'),
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
export function readMcpConfig(env: Environment): McpConfig {
  const v = readEnvironment(MCP_SETTINGS, env, { prefix: 'ISOPOD_MCP_' })
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
