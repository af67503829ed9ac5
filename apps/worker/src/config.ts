import { hostname } from 'node:os'
import {
  DEFAULT_LIMITS,
  type LimitMaxima,
  type LimitsRequest,
  MAX_JOB_SECONDS,
  type Policy,
} from '@isopod/protocol'
import type { DiskReadLimit, UserRange } from '@isopod/sandbox'
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
import type { BudgetSettings } from './admission/budget.ts'
import { diskRead, engineAddress, users } from './env-schemas.ts'

/** One line of reason per variable: what it decides, and why it has its default. */
const variables = z.object({
  ...QUEUE_VARIABLES,
  /** The engine, as every Docker tool reads it. */
  DOCKER_HOST: engineAddress.optional(),
  /** The overview's name for a socket; DOCKER_HOST wins. */
  DOCKER_SOCKET_PATH: engineAddress.default('/var/run/docker.sock'),
  LOG_LEVEL: logLevelVariable.default('info'),
  /** Port of /metrics, /healthz and /readyz; 0 picks a free one. 9464 is Prometheus' registered range for exporters. */
  PORT: numberVariable(0, 65_535).default(9464),
  /** Address that port is bound to. Loopback: metrics are nobody else's business unless the operator says so. */
  ISOPOD_BIND: z.string().default('127.0.0.1'),
  /** Names this worker in results, labels and its lease. Unique per process by default. */
  ISOPOD_WORKER_ID: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
      error: 'must be 1 to 63 characters of a-z, A-Z, 0-9, ".", "_" and "-"',
    })
    .default(() => `${hostname().slice(0, 40)}-${process.pid}-${Date.now().toString(36)}`),
  /** Executions at once, however small. Two per core by default: each gets half a core unless it asks otherwise. */
  ISOPOD_SLOTS: numberVariable(1, 1000).optional(),
  /** Containers that wait for a job; 0 for none. One per slot by default: as many as can be asked for at once. */
  ISOPOD_POOL_SIZE: numberVariable(0, 1000).optional(),
  /** Containers made ahead at once. One: more would take the processor from programs that run. */
  ISOPOD_POOL_REFILL: numberVariable(1, 32).default(1),
  /** After that long a waiting container is removed, and a language that nobody asked for since gets none. */
  ISOPOD_POOL_IDLE_SECONDS: numberVariable(1, 86_400).default(300),
  /** Memory of the host that waiting containers may hold together, the engine's process beside each counted. */
  ISOPOD_POOL_MEMORY_MB: numberVariable(0, 1_048_576).default(512),
  /**
   * What the memory limits of all executions of this worker may come to. Three quarters of the engine's host by default:
   * engine, Redis and workers live on the rest. Several workers on one host: each its part.
   */
  ISOPOD_MEMORY_MB: numberVariable(16, 16_777_216).optional(),
  /** What their `cpus` may come to: the host's cores by default; one that asks for more than this runs alone. */
  ISOPOD_CPUS: numberVariable(0.1, 4096, false).optional(),
  /** How long a container waits for the next job of its batch: long enough for a grader that asks its model in between. */
  ISOPOD_BATCH_IDLE_SECONDS: numberVariable(0, 300).default(60),
  /** Jobs of a batch after which a container is not used again, so that whatever grows with them stays small. */
  ISOPOD_BATCH_RUNS: numberVariable(1, 1_000_000).default(1000),
  /** How long the result of a job that asks for `cache` serves others like it; 0: never. They lie in Redis beside all else. */
  ISOPOD_CACHE_TTL_SECONDS: numberVariable(0, 2_592_000).default(86_400),
  /** How long a job whose timeout is in doubt may wait to have the worker to itself and run again; 0: never. Its answer waits too. */
  ISOPOD_SECOND_RUN_SECONDS: numberVariable(0, 3600).default(30),
  /** Part of each hour that such runs may hold up others, a quarter of it for one tenant: nobody is to get more of a host by it. */
  ISOPOD_SECOND_RUN_PERCENT: numberVariable(0, 50, false).default(5),
  /** How long a shutdown waits for running jobs before it hands them back to the queue. */
  ISOPOD_DRAIN_SECONDS: numberVariable(0, 3600).default(30),
  /** Audit events that a Redis stream keeps beside the log lines; 0 for no such stream: the log is the record. */
  ISOPOD_AUDIT_STREAM_LENGTH: numberVariable(0, 100_000_000).default(0),
  /** Have audit events carry code, stdin and output. Off: they belong to the tenant, and logs travel far. */
  ISOPOD_AUDIT_CONTENT: flagVariable.default(false),
  /** OCI runtime (`runc`, `crun`, `runsc`); the engine's default if unset. */
  ISOPOD_RUNTIME: z.string().optional(),
  /** Accept a runc with known escapes. Never for production; for one that the distribution has mended under its old number. */
  ISOPOD_ALLOW_OLD_RUNC: flagVariable.default(false),
  /** A seccomp profile in Docker's JSON format instead of ours, for programs that need a call which ours refuses. */
  ISOPOD_SECCOMP_PROFILE: z.string().optional(),
  /** Directory of seccomp profiles that a catalogue names, beside ours; ours, `compute` and `query`, are found without it. */
  ISOPOD_SECCOMP_PROFILES_DIR: z.string().optional(),
  /** An AppArmor profile that is loaded on the engine's host, `isopod` of deploy/apparmor; unset: the engine's, if there is any. */
  ISOPOD_APPARMOR_PROFILE: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, {
      error: 'must be the name of a profile: 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-"',
    })
    .optional(),
  /** Disk of the images and MiB per second that each container may read from it; unset: no limit, as no engine tells which disk it is. */
  ISOPOD_IMAGE_DISK_READ: diskRead.optional(),
  /** A label on every container, so that a private stack can find its own. */
  ISOPOD_STACK: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 plain characters' })
    .optional(),
  /** No job's source is checked less strictly than this. Off: jobs know best what they are, and the container is the boundary. */
  ISOPOD_MIN_POLICY: policyVariable.default({ mode: 'off', rules: 'standard' }),
  /** Attack containers of our own before the first job is taken. Off only where starting fast matters more, as in tests. */
  ISOPOD_SELF_TEST: flagVariable.default(true),
  /** Languages whose interpreter is started before the job comes: names, or all. None: it takes memory where it is not used. */
  ISOPOD_PRELOAD: z.string().default(''),
  /** Maxima: a job that asks for more is refused. */
  ISOPOD_MAX_MEMORY_MB: numberVariable(16, 1024).optional(),
  ISOPOD_MAX_CPUS: numberVariable(0.1, 256, false).optional(),
  ISOPOD_MAX_PROCESSES: numberVariable(1, 512).optional(),
  ISOPOD_MAX_DISK_MB: numberVariable(1, 512).optional(),
  ISOPOD_MAX_OUTPUT_BYTES: numberVariable(0, 10 * 1024 * 1024).optional(),
  SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS: numberVariable(0.1, 300, false).default(300),
  ISOPOD_MAX_JOB_SECONDS: numberVariable(1, MAX_JOB_SECONDS).optional(),
  /** Of a whole job, with all its tests; no more than the maximum. Far above what any that was looked at needs. */
  ISOPOD_DEFAULT_JOB_SECONDS: numberVariable(1, MAX_JOB_SECONDS).default(DEFAULT_LIMITS.jobSeconds),
  SANDBOX_DEFAULT_TIMEOUT_SECONDS: numberVariable(0.1, 300, false).default(DEFAULT_LIMITS.timeoutSeconds),
  SANDBOX_DEFAULT_MEMORY_LIMIT_MB: numberVariable(16, 1024).default(DEFAULT_LIMITS.memoryMb),
  /** 100 is one core. */
  SANDBOX_DEFAULT_CPU_QUOTA_PERCENT: numberVariable(10, 25_600).default(DEFAULT_LIMITS.cpus * 100),
  SANDBOX_PID_LIMIT: numberVariable(1, 512).default(DEFAULT_LIMITS.processes),
  /** YAML or JSON; the shipped catalogue if unset. */
  SANDBOX_LANGUAGE_CONFIG_FILE: z.string().optional(),
  /**
   * One user id per container by default: what the kernel counts per user, jobs must not use up for each other. Above what
   * distributions give to people and services, and below 65536: engines with remapped users have no more.
   */
  SANDBOX_DEFAULT_USER_UID_GID: users.default({ first: 60_000, last: 60_255, gid: 65_534 }),
  /** Network profiles that jobs may ask for, YAML or JSON. None if unset: no job has any network. */
  ISOPOD_NETWORK_PROFILES_FILE: z.string().optional(),
})

/** Names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(variables.shape)

/** The worker's settings as values; nothing else reads the environment. */
export interface WorkerConfig {
  readonly workerId: string
  readonly logLevel: LogLevel
  readonly redis: {
    readonly url: string
    readonly prefix: string
    readonly allowEviction: boolean
    readonly resultTtlSeconds: number
  }
  readonly engine: {
    readonly address: string
    readonly runtime: string | undefined
    readonly allowOldRunc: boolean
    /** File of a seccomp profile; undefined for ours. */
    readonly seccompProfile: string | undefined
    /** Directory of the operator's own profiles of languages. */
    readonly seccompProfilesDirectory: string | undefined
    /** AppArmor profile of every container. */
    readonly appArmor: string | undefined
    /** How fast each container may read from the disk of the images. */
    readonly diskReads: DiskReadLimit | undefined
    readonly stack: string | undefined
  }
  readonly audit: {
    /** Undefined: no stream. */
    readonly streamLength: number | undefined
    readonly content: boolean
  }
  readonly http: { readonly host: string; readonly port: number }
  readonly pool: {
    /** Undefined: as many as slots. */
    readonly size: number | undefined
    readonly refills: number
    readonly idleMs: number
    readonly memoryMb: number
  }
  /** What all executions may take at once; what is undefined follows from the engine's host. */
  readonly budget: BudgetSettings
  readonly batch: { readonly idleSeconds: number; readonly runs: number }
  /** How long results are kept for jobs that ask for it; 0: not at all. */
  readonly cacheTtlSeconds: number
  /** How long a job may wait to run once more, alone; and how much of the worker's time such runs may take. 0: none does. */
  readonly secondRuns: { readonly patienceMs: number; readonly share: number }
  readonly drainSeconds: number
  readonly users: UserRange
  /** Whether the worker attacks its own containers before it takes jobs. */
  readonly selfTest: boolean
  /** Languages to start ahead for every job, between commas, or `all`. */
  readonly preload: string
  readonly catalogueFile: string | undefined
  /** No job gets less. */
  readonly minimumPolicy: Policy
  readonly networkProfilesFile: string | undefined
  readonly defaults: LimitsRequest
  readonly maxima: LimitMaxima
}

/**
 * Reads the worker's settings.
 *
 * @throws {ConfigError} that names each wrong variable, what is allowed and what was given; a variable that starts with
 *   `ISOPOD_` or `SANDBOX_` and means nothing is refused too, with the nearest name
 */
export function readConfig(env: Environment): WorkerConfig {
  const v = readEnvironment(variables, env)
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
      allowOldRunc: v.ISOPOD_ALLOW_OLD_RUNC,
      seccompProfile: v.ISOPOD_SECCOMP_PROFILE,
      seccompProfilesDirectory: v.ISOPOD_SECCOMP_PROFILES_DIR,
      appArmor: v.ISOPOD_APPARMOR_PROFILE,
      diskReads: v.ISOPOD_IMAGE_DISK_READ,
      stack: v.ISOPOD_STACK,
    },
    audit: {
      streamLength: v.ISOPOD_AUDIT_STREAM_LENGTH || undefined,
      content: v.ISOPOD_AUDIT_CONTENT,
    },
    http: { host: v.ISOPOD_BIND, port: v.PORT },
    pool: {
      size: v.ISOPOD_POOL_SIZE,
      refills: v.ISOPOD_POOL_REFILL,
      idleMs: v.ISOPOD_POOL_IDLE_SECONDS * 1000,
      memoryMb: v.ISOPOD_POOL_MEMORY_MB,
    },
    budget: { slots: v.ISOPOD_SLOTS, memoryMb: v.ISOPOD_MEMORY_MB, cpus: v.ISOPOD_CPUS },
    batch: { idleSeconds: v.ISOPOD_BATCH_IDLE_SECONDS, runs: v.ISOPOD_BATCH_RUNS },
    cacheTtlSeconds: v.ISOPOD_CACHE_TTL_SECONDS,
    secondRuns: {
      patienceMs: v.ISOPOD_SECOND_RUN_SECONDS * 1000,
      share: v.ISOPOD_SECOND_RUN_PERCENT / 100,
    },
    drainSeconds: v.ISOPOD_DRAIN_SECONDS,
    users: v.SANDBOX_DEFAULT_USER_UID_GID,
    selfTest: v.ISOPOD_SELF_TEST,
    preload: v.ISOPOD_PRELOAD,
    catalogueFile: v.SANDBOX_LANGUAGE_CONFIG_FILE,
    minimumPolicy: v.ISOPOD_MIN_POLICY,
    networkProfilesFile: v.ISOPOD_NETWORK_PROFILES_FILE,
    defaults: {
      timeoutSeconds: v.SANDBOX_DEFAULT_TIMEOUT_SECONDS,
      jobSeconds: Math.min(v.ISOPOD_DEFAULT_JOB_SECONDS, v.ISOPOD_MAX_JOB_SECONDS ?? MAX_JOB_SECONDS),
      memoryMb: v.SANDBOX_DEFAULT_MEMORY_LIMIT_MB,
      cpus: v.SANDBOX_DEFAULT_CPU_QUOTA_PERCENT / 100,
      processes: v.SANDBOX_PID_LIMIT,
    },
    maxima: Object.fromEntries(
      Object.entries({
        timeoutSeconds: v.SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS,
        jobSeconds: v.ISOPOD_MAX_JOB_SECONDS,
        memoryMb: v.ISOPOD_MAX_MEMORY_MB,
        cpus: v.ISOPOD_MAX_CPUS,
        processes: v.ISOPOD_MAX_PROCESSES,
        diskMb: v.ISOPOD_MAX_DISK_MB,
        outputBytes: v.ISOPOD_MAX_OUTPUT_BYTES,
      }).filter(([, maximum]) => maximum !== undefined),
    ),
  }
}
