import { hostname } from 'node:os'
import { DEFAULT_LIMITS, ISOLATIONS, MAX_JOB_SECONDS } from '@isopod/protocol'
import {
  flagVariable,
  logLevelVariable,
  numberVariable,
  policyVariable,
  QUEUE_VARIABLES,
  wordVariable,
} from '@isopod/service-kit'
import { z } from 'zod'
import { diskRead, engineAddress, users } from './env-schemas.ts'

/** Every environment variable of a worker. `npm run schemas` writes docs/settings.md from it. */
export const WORKER_SETTINGS = z.object({
  ...QUEUE_VARIABLES,
  DOCKER_HOST: engineAddress.optional().meta({
    description: 'address of the engine, as other Docker tools read it',
    shownDefault: 'DOCKER_SOCKET_PATH',
  }),
  DOCKER_SOCKET_PATH: engineAddress
    .default('/var/run/docker.sock')
    .describe('socket of the engine, if DOCKER_HOST is unset'),
  LOG_LEVEL: logLevelVariable
    .default('info')
    .describe('minimum level of log lines; audit events are always logged'),
  PORT: numberVariable(0, 65_535)
    .default(9464)
    .describe('port of /metrics, /healthz and /readyz; 0: any free one'),
  ISOPOD_BIND: z
    .string()
    .default('127.0.0.1')
    .describe('address of that port; loopback, because metrics reveal what jobs do'),
  ISOPOD_WORKER_ID: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
      error: 'must be 1 to 63 characters of a-z, A-Z, 0-9, ".", "_" and "-"',
    })
    .default(() => `${hostname().slice(0, 40)}-${process.pid}-${Date.now().toString(36)}`)
    .meta({
      description: 'unique name of the worker in results, container labels and its lease',
      shownDefault: 'host, process, time',
    }),
  ISOPOD_MAX_WAITING: numberVariable(1, 100_000_000).optional().meta({
    description: 'maximum waiting jobs, for all producers; the last worker to start decides',
    shownDefault: 'no maximum',
  }),
  ISOPOD_MAX_UNTAKEN_RESULTS: numberVariable(1, 100_000_000)
    .default(1_000_000)
    .describe('maximum number of [untaken results](operations.md#untaken-results)'),
  ISOPOD_MAX_UNTAKEN_MB: numberVariable(1, 16_777_216)
    .default(1024)
    .describe('maximum memory of these results in Redis; the oldest beyond a maximum are dropped'),
  ISOPOD_WORKERS: numberVariable(1, 1000)
    .default(1)
    .describe("workers that share the engine's host; each takes its part of memory and cores"),
  ISOPOD_SLOTS: numberVariable(1, 1000).optional().meta({
    description: 'maximum concurrent executions; by default each has half a core',
    shownDefault: 'two per core',
  }),
  ISOPOD_MEMORY_MB: numberVariable(16, 16_777_216).optional().meta({
    description: 'maximum sum of the memory limits of running executions',
    shownDefault: "3/4 of the host's",
  }),
  ISOPOD_CPUS: numberVariable(0.1, 4096, false).optional().meta({
    description: 'maximum sum of their `cpus`; an execution that asks for more runs alone',
    shownDefault: "the host's cores",
  }),
  ISOPOD_POOL_SIZE: numberVariable(0, 1000).optional().meta({
    description: 'containers in the pool; 0: no pool',
    shownDefault: 'one per slot',
  }),
  ISOPOD_POOL_REFILL: numberVariable(1, 32)
    .default(1)
    .describe('containers that the pool starts at once; more take CPU from running programs'),
  ISOPOD_POOL_IDLE_SECONDS: numberVariable(1, 86_400)
    .default(300)
    .describe('how long an unused container stays in the pool'),
  ISOPOD_POOL_MEMORY_MB: numberVariable(0, 1_048_576)
    .default(512)
    .describe("maximum memory of the pool, with the engine's process beside each container"),
  ISOPOD_BATCH_IDLE_SECONDS: numberVariable(0, 300)
    .default(60)
    .describe('how long a container waits for the next job of its batch'),
  ISOPOD_BATCH_RUNS: numberVariable(1, 1_000_000)
    .default(1000)
    .describe('maximum jobs of a batch in one container'),
  ISOPOD_CACHE_TTL_SECONDS: numberVariable(0, 2_592_000)
    .default(86_400)
    .describe('how long a result serves identical jobs with `cache: true`; 0: never'),
  ISOPOD_SECOND_RUN_SECONDS: numberVariable(0, 3600)
    .default(30)
    .describe('maximum wait for the exclusive retry of a run that lacked CPU; 0: none'),
  ISOPOD_SECOND_RUN_PERCENT: numberVariable(0, 50, false)
    .default(5)
    .describe('part of each hour for exclusive retries; one tenant gets a quarter of it'),
  ISOPOD_OUTAGE_SECONDS: numberVariable(0, 86_400)
    .default(300)
    .describe('how long a job waits for a missing image or an engine that is gone, using up no try'),
  ISOPOD_DRAIN_SECONDS: numberVariable(0, 3600)
    .default(30)
    .describe('how long a shutdown waits for running jobs before it requeues them'),
  ISOPOD_AUDIT_STREAM_LENGTH: numberVariable(0, 100_000_000)
    .default(0)
    .describe('audit events kept in the Redis stream `{prefix}:audit` besides the log; 0: none'),
  ISOPOD_AUDIT_CONTENT: flagVariable
    .default(false)
    .describe('include code, stdin and output in audit events'),
  ISOPOD_DRIVER: wordVariable(['docker', 'process'])
    .default('docker')
    .describe('what makes the sandboxes: an engine (`docker`) or this host; see [Drivers](drivers.md)'),
  ISOPOD_MIN_ISOLATION: wordVariable(ISOLATIONS).optional().meta({
    description:
      'minimum that a job may choose: `process`, `container`, `gvisor`; see [Drivers](drivers.md#a-job-chooses)',
    shownDefault: 'that of other jobs',
  }),
  ISOPOD_ROOTS_DIR: z
    .string()
    .default('/var/lib/isopod/roots')
    .describe("directory of the languages' roots, for the driver `process`"),
  ISOPOD_SANDBOX_STATE_DIR: z
    .string()
    .default('/run/isopod')
    .describe(
      'directory for what the driver `process` must know of its sandboxes; one for all workers of a host',
    ),
  ISOPOD_RUNTIME: z.string().optional().meta({
    description: 'OCI runtime: `runc`, `crun`, `runsc`; see [gVisor](gvisor.md)',
    shownDefault: "the engine's",
  }),
  ISOPOD_ALLOW_OLD_RUNC: flagVariable
    .default(false)
    .describe('accept a runc with known escapes (below 1.2.8, 1.3.3)'),
  ISOPOD_SECCOMP_PROFILE: z.string().optional().meta({
    description: "file of a profile in Docker's format that replaces the default",
    shownDefault: 'built in',
  }),
  ISOPOD_SECCOMP_PROFILES_DIR: z
    .string()
    .optional()
    .describe(
      'directory of profiles that languages may name, besides [compute and query](../deploy/seccomp)',
    ),
  ISOPOD_APPARMOR_PROFILE: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, {
      error: 'must be the name of a profile: 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-"',
    })
    .optional()
    .meta({
      description:
        "a profile that the engine's host has loaded, such as `isopod` of [deploy/apparmor](../deploy/apparmor)",
      shownDefault: "the engine's",
    }),
  ISOPOD_IMAGE_DISK_READ: diskRead.optional().meta({
    description: 'disk of the images, and MiB/s that each container may read from it: `/dev/sda:100`',
    shownDefault: 'no limit',
  }),
  ISOPOD_STACK: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 plain characters' })
    .optional()
    .describe('value of the label `isopod.stack` on every container'),
  ISOPOD_MIN_POLICY: policyVariable.default({ mode: 'off', rules: 'standard' }).meta({
    description: 'minimum policy check of every job: `warn` or `enforce`, optionally with `:strict`',
    shownDefault: 'off',
  }),
  ISOPOD_SELF_TEST: flagVariable.default(true).describe('run the self-test before the first job'),
  ISOPOD_PRELOAD: z
    .string()
    .default('')
    .describe('languages, or `all`, whose interpreter starts before a job arrives'),
  ISOPOD_DEFAULT_JOB_SECONDS: numberVariable(1, MAX_JOB_SECONDS)
    .default(DEFAULT_LIMITS.jobSeconds)
    .describe('default of `limits.jobSeconds`, at most its maximum'),
  SANDBOX_DEFAULT_TIMEOUT_SECONDS: numberVariable(0.1, 300, false)
    .default(DEFAULT_LIMITS.timeoutSeconds)
    .describe('default of `limits.timeoutSeconds`'),
  SANDBOX_DEFAULT_MEMORY_LIMIT_MB: numberVariable(16, 1024)
    .default(DEFAULT_LIMITS.memoryMb)
    .describe('default of `limits.memoryMb`'),
  SANDBOX_DEFAULT_CPU_QUOTA_PERCENT: numberVariable(10, 25_600)
    .default(DEFAULT_LIMITS.cpus * 100)
    .describe('default of `limits.cpus`; 100 is one core'),
  SANDBOX_PID_LIMIT: numberVariable(1, 512)
    .default(DEFAULT_LIMITS.processes)
    .describe('default of `limits.processes`'),
  SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS: numberVariable(0.1, 300, false)
    .default(300)
    .describe('maximum of `limits.timeoutSeconds`'),
  ISOPOD_MAX_COMPILE_SECONDS: numberVariable(0.1, 300, false).optional().meta(maximumOf('compileSeconds')),
  ISOPOD_MAX_JOB_SECONDS: numberVariable(1, MAX_JOB_SECONDS).optional().meta(maximumOf('jobSeconds')),
  ISOPOD_MAX_MEMORY_MB: numberVariable(16, 1024).optional().meta(maximumOf('memoryMb')),
  ISOPOD_MAX_CPUS: numberVariable(0.1, 256, false).optional().meta(maximumOf('cpus')),
  ISOPOD_MAX_PROCESSES: numberVariable(1, 512).optional().meta(maximumOf('processes')),
  ISOPOD_MAX_DISK_MB: numberVariable(1, 512).optional().meta(maximumOf('diskMb')),
  ISOPOD_MAX_OUTPUT_BYTES: numberVariable(0, 10 * 1024 * 1024)
    .optional()
    .meta(maximumOf('outputBytes')),
  SANDBOX_LANGUAGE_CONFIG_FILE: z.string().optional().meta({
    description: 'catalogue of languages, YAML or JSON',
    shownDefault: 'the shipped one',
  }),
  ISOPOD_NETWORK_PROFILES_FILE: z
    .string()
    .optional()
    .describe('network profiles that jobs may ask for, YAML or JSON; without it no job has a network'),
  ISOPOD_TENANTS_FILE: z.string().optional().meta({
    description: 'weights and maxima of [tenants](operations.md#tenants), YAML or JSON',
    shownDefault: 'equal shares, no maxima',
  }),
  // Ids above those of people and services, and below 65536: engines with remapped users have no more.
  SANDBOX_DEFAULT_USER_UID_GID: users.default({ first: 60_000, last: 60_255, gid: 65_534 }).meta({
    description: 'user ids, one per container, and group id of programs; root is refused',
    shownDefault: '60000-60255:65534',
  }),
})

function maximumOf(limit: string) {
  return { description: `maximum of \`limits.${limit}\``, shownDefault: 'as in [limits](limits.md)' }
}
