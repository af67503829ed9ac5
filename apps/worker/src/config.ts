import { hostname } from 'node:os'
import { ConfigError, DEFAULT_LIMITS, type LimitMaxima, type LimitsRequest } from '@isopod/protocol'
import { LOG_LEVELS } from '@isopod/telemetry'
import { z } from 'zod'
import { refuseUnknownVariables } from './unknown-variables.ts'

/** Text of an environment variable as a number in a range; the refusal names range and value. */
function numeric(min: number, max: number, whole = true) {
  const error = `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`
  const number = z.number({ error }).min(min, { error }).max(max, { error })
  return z
    .string()
    .trim()
    .min(1, { error })
    .transform(Number)
    .pipe(whole ? number.int({ error }) : number)
}

const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')

/** Where an engine listens. */
const engineAddress = z.string().regex(/^(unix:\/\/)?\/.+|^(tcp|https?):\/\/[^/]+\/?$/, {
  error: 'must be unix:///path, an absolute path, or tcp://host:port',
})

/** `uid:gid`, `uid`, or `nobody`. Root is refused: the program must own nothing in any image. */
const user = z
  .string()
  .regex(/^(nobody|[1-9]\d{0,8}(:[1-9]\d{0,8})?)$/, { error: 'must be "nobody", uid or uid:gid, not root' })
  .transform((text) => {
    const [uid = 65534, gid = uid] = text === 'nobody' ? [] : text.split(':').map(Number)
    return { uid, gid }
  })

/** One line of reason per variable: what it decides, and why it has its default. */
const variables = z.object({
  /** Where jobs come from and results go. */
  REDIS_URL: z.string().default('redis://127.0.0.1:6379'),
  /** The engine, as every Docker tool reads it. */
  DOCKER_HOST: engineAddress.optional(),
  /** The overview's name for a socket; DOCKER_HOST wins. */
  DOCKER_SOCKET_PATH: engineAddress.default('/var/run/docker.sock'),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
  /** Port of /metrics, /healthz and /readyz; 0 picks a free one. 9464 is Prometheus' registered range for exporters. */
  PORT: numeric(0, 65_535).default(9464),
  /** Address that port is bound to. Loopback: metrics are nobody else's business unless the operator says so. */
  ISOPOD_BIND: z.string().default('127.0.0.1'),
  /** Names this worker in results, labels and its lease. Unique per process by default. */
  ISOPOD_WORKER_ID: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
      error: 'must be 1 to 63 characters of a-z, A-Z, 0-9, ".", "_" and "-"',
    })
    .default(() => `${hostname().slice(0, 40)}-${process.pid}-${Date.now().toString(36)}`),
  /** Executions at once. Two per core by default: each gets half a core unless it asks otherwise. */
  ISOPOD_SLOTS: numeric(1, 1000).optional(),
  /** Redis key prefix, so that deployments can share a Redis. */
  ISOPOD_QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 plain characters' })
    .default('isopod'),
  /** Accept a Redis that may evict keys. Never for production: an evicted job is a lost job. */
  ISOPOD_ALLOW_EVICTION: flag.default(false),
  /** How long a stored result can be asked for. */
  ISOPOD_RESULT_TTL_SECONDS: numeric(60, 2_592_000).default(86_400),
  /** How long a shutdown waits for running jobs before it hands them back to the queue. */
  ISOPOD_DRAIN_SECONDS: numeric(0, 3600).default(30),
  /** OCI runtime (`runc`, `crun`, `runsc`); the engine's default if unset. */
  ISOPOD_RUNTIME: z.string().optional(),
  /** A label on every container, so that a private stack can find its own. */
  ISOPOD_STACK: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 plain characters' })
    .optional(),
  /** Attack containers of our own before the first job is taken. Off only where starting fast matters more, as in tests. */
  ISOPOD_SELF_TEST: flag.default(true),
  /** Maxima: a job that asks for more is refused. */
  ISOPOD_MAX_MEMORY_MB: numeric(16, 1024).optional(),
  ISOPOD_MAX_CPUS: numeric(0.1, 256, false).optional(),
  ISOPOD_MAX_PROCESSES: numeric(1, 512).optional(),
  ISOPOD_MAX_DISK_MB: numeric(1, 512).optional(),
  ISOPOD_MAX_OUTPUT_BYTES: numeric(0, 10 * 1024 * 1024).optional(),
  SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS: numeric(0.1, 300, false).default(300),
  SANDBOX_DEFAULT_TIMEOUT_SECONDS: numeric(0.1, 300, false).default(DEFAULT_LIMITS.timeoutSeconds),
  SANDBOX_DEFAULT_MEMORY_LIMIT_MB: numeric(16, 1024).default(DEFAULT_LIMITS.memoryMb),
  /** 100 is one core. */
  SANDBOX_DEFAULT_CPU_QUOTA_PERCENT: numeric(10, 25_600).default(DEFAULT_LIMITS.cpus * 100),
  SANDBOX_PID_LIMIT: numeric(1, 512).default(DEFAULT_LIMITS.processes),
  /** YAML or JSON; the shipped catalogue if unset. */
  SANDBOX_LANGUAGE_CONFIG_FILE: z.string().optional(),
  SANDBOX_DEFAULT_USER_UID_GID: user.default({ uid: 65534, gid: 65534 }),
})

/** Names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(variables.shape)

/** The worker's settings as values; nothing else reads the environment. */
export interface WorkerConfig {
  readonly workerId: string
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly redis: {
    readonly url: string
    readonly prefix: string
    readonly allowEviction: boolean
    readonly resultTtlSeconds: number
  }
  readonly engine: {
    readonly address: string
    readonly runtime: string | undefined
    readonly stack: string | undefined
  }
  readonly http: { readonly host: string; readonly port: number }
  /** Undefined: two per core of the engine's host. */
  readonly slots: number | undefined
  readonly drainSeconds: number
  /** Whether the worker attacks its own containers before it takes jobs. */
  readonly selfTest: boolean
  readonly user: { readonly uid: number; readonly gid: number }
  readonly catalogueFile: string | undefined
  readonly defaults: LimitsRequest
  readonly maxima: LimitMaxima
}

/**
 * Reads the worker's settings.
 *
 * @throws {ConfigError} that names each wrong variable, what is allowed and what was given; a variable that starts with
 *   `ISOPOD_` or `SANDBOX_` and means nothing is refused too, with the nearest name
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): WorkerConfig {
  refuseUnknownVariables(env, SETTINGS)
  // An empty variable is how compose files and shells write «not set».
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = variables.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0])
      return `${name}: ${issue.message}, got ${JSON.stringify(env[name])}`
    })
    throw new ConfigError(problems.join('; '))
  }
  const v = parsed.data
  return {
    workerId: v.ISOPOD_WORKER_ID,
    logLevel: v.LOG_LEVEL,
    redis: {
      url: v.REDIS_URL,
      prefix: v.ISOPOD_QUEUE_PREFIX,
      allowEviction: v.ISOPOD_ALLOW_EVICTION,
      resultTtlSeconds: v.ISOPOD_RESULT_TTL_SECONDS,
    },
    engine: {
      address: v.DOCKER_HOST ?? v.DOCKER_SOCKET_PATH,
      runtime: v.ISOPOD_RUNTIME,
      stack: v.ISOPOD_STACK,
    },
    http: { host: v.ISOPOD_BIND, port: v.PORT },
    slots: v.ISOPOD_SLOTS,
    drainSeconds: v.ISOPOD_DRAIN_SECONDS,
    selfTest: v.ISOPOD_SELF_TEST,
    user: v.SANDBOX_DEFAULT_USER_UID_GID,
    catalogueFile: v.SANDBOX_LANGUAGE_CONFIG_FILE,
    defaults: {
      timeoutSeconds: v.SANDBOX_DEFAULT_TIMEOUT_SECONDS,
      memoryMb: v.SANDBOX_DEFAULT_MEMORY_LIMIT_MB,
      cpus: v.SANDBOX_DEFAULT_CPU_QUOTA_PERCENT / 100,
      processes: v.SANDBOX_PID_LIMIT,
    },
    maxima: Object.fromEntries(
      Object.entries({
        timeoutSeconds: v.SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS,
        memoryMb: v.ISOPOD_MAX_MEMORY_MB,
        cpus: v.ISOPOD_MAX_CPUS,
        processes: v.ISOPOD_MAX_PROCESSES,
        diskMb: v.ISOPOD_MAX_DISK_MB,
        outputBytes: v.ISOPOD_MAX_OUTPUT_BYTES,
      }).filter(([, maximum]) => maximum !== undefined),
    ),
  }
}
