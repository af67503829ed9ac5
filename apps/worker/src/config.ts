import {
  ConfigError,
  DEFAULT_LIMITS,
  type Isolation,
  type LimitMaxima,
  type LimitsRequest,
  MAX_JOB_SECONDS,
  type Policy,
} from '@isopod/protocol'
import type { DiskReadLimit, UserRange } from '@isopod/sandbox'
import { type Environment, readEnvironment } from '@isopod/service-kit'
import type { LogLevel } from '@isopod/telemetry'
import type { BudgetSettings } from './admission/budget.ts'
import { WORKER_SETTINGS } from './settings.ts'

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
  /** Maximum number of waiting jobs. */
  readonly maxWaiting: number | undefined
  /** Maxima of untaken results. */
  readonly maxUntaken: { readonly results: number; readonly bytes: number }
  /** What makes the sandboxes. */
  readonly driver: 'docker' | 'process'
  /** Minimum isolation that a job may choose; undefined: that of jobs that choose none. */
  readonly minimumIsolation: Isolation | undefined
  readonly seccomp: {
    /** File of a seccomp profile; undefined for ours. */
    readonly profile: string | undefined
    /** Directory of the operator's own profiles of languages. */
    readonly profilesDirectory: string | undefined
  }
  /** Settings of the process driver: its directories. */
  readonly process: { readonly roots: string; readonly state: string }
  /** Settings of the Docker driver. */
  readonly docker: {
    readonly address: string
    readonly runtime: string | undefined
    readonly allowOldRunc: boolean
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
  /** Budget of all executions; undefined values follow from the engine's host. */
  readonly budget: BudgetSettings
  readonly batch: { readonly idleSeconds: number; readonly runs: number }
  /** How long the cache keeps results; 0: there is no cache. */
  readonly cacheTtlSeconds: number
  /** Exclusive retries: how long a job may wait for one, and their share of the worker's time. 0: there are none. */
  readonly secondRuns: { readonly maxWaitMs: number; readonly share: number }
  /** How long a job waits for a missing image or an engine that is gone; 0: such a fault uses up tries as any other. */
  readonly outageSeconds: number
  readonly drainSeconds: number
  readonly users: UserRange
  /** Whether the self-test runs before the first job. */
  readonly selfTest: boolean
  /** Languages to preload for every job, separated by commas, or `all`. */
  readonly preload: string
  readonly catalogueFile: string | undefined
  /** Minimum policy of every job. */
  readonly minimumPolicy: Policy
  readonly networkProfilesFile: string | undefined
  readonly tenantsFile: string | undefined
  readonly defaults: LimitsRequest
  readonly maxima: LimitMaxima
}

/**
 * Reads the worker's settings.
 *
 * @throws {ConfigError} that names each wrong variable, what is allowed and what was given; a variable that starts with
 *   `ISOPOD_` or `SANDBOX_` and means nothing is refused too, with the nearest name
 */
export function readWorkerConfig(env: Environment): WorkerConfig {
  const v = readEnvironment(WORKER_SETTINGS, env)
  if (v.ISOPOD_DRIVER === 'process') refuse(env, 'ISOPOD_DRIVER', ['ISOPOD_RUNTIME', ...ONLY_CONTAINERS])
  else if (v.ISOPOD_MIN_ISOLATION === 'process') {
    refuse(env, 'ISOPOD_MIN_ISOLATION', ONLY_CONTAINERS)
    checkDivisible(v.SANDBOX_DEFAULT_USER_UID_GID)
  }
  return {
    workerId: v.ISOPOD_WORKER_ID,
    logLevel: v.LOG_LEVEL,
    redis: {
      url: v.REDIS_URL,
      prefix: v.ISOPOD_QUEUE_PREFIX,
      allowEviction: v.ISOPOD_ALLOW_EVICTION,
      resultTtlSeconds: v.ISOPOD_RESULT_TTL_SECONDS,
    },
    maxWaiting: v.ISOPOD_MAX_WAITING,
    maxUntaken: { results: v.ISOPOD_MAX_UNTAKEN_RESULTS, bytes: v.ISOPOD_MAX_UNTAKEN_MB * 1024 * 1024 },
    driver: v.ISOPOD_DRIVER,
    minimumIsolation: v.ISOPOD_MIN_ISOLATION,
    seccomp: { profile: v.ISOPOD_SECCOMP_PROFILE, profilesDirectory: v.ISOPOD_SECCOMP_PROFILES_DIR },
    process: { roots: v.ISOPOD_ROOTS_DIR, state: v.ISOPOD_SANDBOX_STATE_DIR },
    docker: {
      address: v.DOCKER_HOST ?? v.DOCKER_SOCKET_PATH,
      runtime: v.ISOPOD_RUNTIME,
      allowOldRunc: v.ISOPOD_ALLOW_OLD_RUNC,
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
    budget: {
      workers: v.ISOPOD_WORKERS,
      slots: v.ISOPOD_SLOTS,
      memoryMb: v.ISOPOD_MEMORY_MB,
      cpus: v.ISOPOD_CPUS,
    },
    batch: { idleSeconds: v.ISOPOD_BATCH_IDLE_SECONDS, runs: v.ISOPOD_BATCH_RUNS },
    cacheTtlSeconds: v.ISOPOD_CACHE_TTL_SECONDS,
    secondRuns: {
      maxWaitMs: v.ISOPOD_SECOND_RUN_SECONDS * 1000,
      share: v.ISOPOD_SECOND_RUN_PERCENT / 100,
    },
    outageSeconds: v.ISOPOD_OUTAGE_SECONDS,
    drainSeconds: v.ISOPOD_DRAIN_SECONDS,
    users: v.SANDBOX_DEFAULT_USER_UID_GID,
    selfTest: v.ISOPOD_SELF_TEST,
    preload: v.ISOPOD_PRELOAD,
    catalogueFile: v.SANDBOX_LANGUAGE_CONFIG_FILE,
    minimumPolicy: v.ISOPOD_MIN_POLICY,
    networkProfilesFile: v.ISOPOD_NETWORK_PROFILES_FILE,
    tenantsFile: v.ISOPOD_TENANTS_FILE,
    defaults: {
      timeoutSeconds: v.SANDBOX_DEFAULT_TIMEOUT_SECONDS,
      compileSeconds: Math.min(DEFAULT_LIMITS.compileSeconds, v.ISOPOD_MAX_COMPILE_SECONDS ?? 300),
      jobSeconds: Math.min(v.ISOPOD_DEFAULT_JOB_SECONDS, v.ISOPOD_MAX_JOB_SECONDS ?? MAX_JOB_SECONDS),
      memoryMb: v.SANDBOX_DEFAULT_MEMORY_LIMIT_MB,
      cpus: v.SANDBOX_DEFAULT_CPU_QUOTA_PERCENT / 100,
      processes: v.SANDBOX_PID_LIMIT,
    },
    maxima: Object.fromEntries(
      Object.entries({
        timeoutSeconds: v.SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS,
        compileSeconds: v.ISOPOD_MAX_COMPILE_SECONDS,
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

/** Settings that confine containers of an engine; silently without them, a sandbox would be less than the operator asked for. */
const ONLY_CONTAINERS = ['ISOPOD_APPARMOR_PROFILE', 'ISOPOD_IMAGE_DISK_READ'] as const

/** Refuses settings that process sandboxes cannot have. @param because the setting that allows such sandboxes */
function refuse(env: Environment, because: string, names: readonly string[]): void {
  const given = names.find((name) => env[name])
  if (given === undefined) return
  throw new ConfigError(
    `${given}: must be unset with ${because}=process, which cannot do it; got ${env[given]}`,
  )
}

/** The two drivers of a worker divide its users. */
function checkDivisible({ first, last }: UserRange): void {
  if (first < last) return
  const rule = 'must be a range of users with ISOPOD_MIN_ISOLATION=process, half for each driver'
  throw new ConfigError(`SANDBOX_DEFAULT_USER_UID_GID: ${rule}, got ${first}`)
}

/** Where a worker's sandboxes are made, for log lines and messages. */
export function placeOf({ driver, docker }: Pick<WorkerConfig, 'driver' | 'docker'>): string {
  return driver === 'docker' ? docker.address : 'this host'
}
