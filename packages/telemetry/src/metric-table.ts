import type { MetricDefinition } from './metric-definition.ts'

/** From a program that prints one line to the longest that a job may ask for. */
const JOB_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** Calls to an engine: tens of milliseconds when it is well. */
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Stages from a pool hit below a millisecond to a program's whole time. */
const PHASE_SECONDS = [0.001, 0.0025, ...CALL_SECONDS, 60, 300]
/** 1 MiB to the largest memory limit. */
const MEMORY_BYTES = [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((mib) => mib * 1024 * 1024)

const OPERATIONS = [
  'create',
  'attach',
  'start',
  'ready',
  'look',
  'update',
  'preload',
  'exit',
  'inspect',
  'events',
  'remove',
  'list',
  'image',
  'volume',
  'ping',
  'info',
] as const

/** Every metric of a worker. The key is the name of its handle. */
export const METRIC_TABLE = {
  queueJobs: {
    kind: 'gauge',
    name: 'isopod_queue_jobs',
    help: 'Jobs in a queue, by state.',
    labels: {
      queue: ['jobs', 'results'],
      state: ['waiting', 'prioritized', 'active', 'delayed', 'paused', 'completed', 'failed'],
    },
  },
  queueOldestWaitingAge: {
    kind: 'gauge',
    name: 'isopod_queue_oldest_waiting_age_seconds',
    help: 'How long the first waiting job has waited; 0 when none waits.',
    labels: {},
  },
  queueWait: {
    kind: 'histogram',
    name: 'isopod_queue_wait_seconds',
    help: 'From submit until a worker took the job.',
    labels: {},
    buckets: [0.005, ...JOB_SECONDS, 900, 3600],
  },
  jobsFinished: {
    kind: 'counter',
    name: 'isopod_jobs_finished_total',
    help: 'Jobs whose result this worker made and published.',
    labels: { language: 'listed', status: 'listed' },
  },
  jobDuration: {
    kind: 'histogram',
    name: 'isopod_job_duration_seconds',
    help: 'From the moment a worker took the job until its result was published.',
    labels: { language: 'listed', status: 'listed' },
    buckets: JOB_SECONDS,
  },
  jobPhase: {
    kind: 'histogram',
    name: 'isopod_job_phase_seconds',
    help: 'How long each stage of a job took.',
    labels: { phase: ['queued', 'policy', 'acquire', 'run', 'collect', 'publish'] },
    buckets: PHASE_SECONDS,
  },
  jobRun: {
    kind: 'histogram',
    name: 'isopod_job_run_seconds',
    help: 'Wall time of the program itself.',
    labels: { language: 'listed' },
    buckets: JOB_SECONDS,
  },
  jobRetries: {
    kind: 'counter',
    name: 'isopod_job_retries_total',
    help: 'Jobs handed back to the queue by this worker.',
    labels: { reason: ['engine', 'image', 'host', 'shutdown'] },
  },
  jobsStalled: {
    kind: 'counter',
    name: 'isopod_jobs_stalled_total',
    help: 'Jobs whose worker stopped renewing its lock.',
    labels: {},
  },
  lockRenewalFailures: {
    kind: 'counter',
    name: 'isopod_lock_renewal_failures_total',
    help: 'Locks that this worker could not renew in time.',
    labels: {},
  },
  resultsPublished: {
    kind: 'counter',
    name: 'isopod_results_published_total',
    help: 'Attempts to publish a result: ok, duplicate of one there, fenced off by a later attempt, failed.',
    labels: { outcome: ['ok', 'duplicate', 'fenced', 'failed'] },
  },
  auditDropped: {
    kind: 'counter',
    name: 'isopod_audit_dropped_total',
    help: 'Audit events that Redis did not take for its stream; the log has them.',
    labels: {},
  },
  workerSlots: {
    kind: 'gauge',
    name: 'isopod_worker_slots',
    help: 'Executions that this worker may have at once.',
    labels: { state: ['busy', 'free'] },
  },
  admissionMemory: {
    kind: 'gauge',
    name: 'isopod_admission_memory_bytes',
    help: 'Memory that the limits of running executions come to, and what is left of the budget.',
    labels: { state: ['used', 'free'] },
  },
  admissionCpus: {
    kind: 'gauge',
    name: 'isopod_admission_cpus',
    help: 'Cores that the limits of running executions come to, and what is left of the budget.',
    labels: { state: ['used', 'free'] },
  },
  admissionWaiting: {
    kind: 'gauge',
    name: 'isopod_admission_waiting_jobs',
    help: 'Jobs that this worker has taken and that wait for their share of the budget.',
    labels: {},
  },
  admissionWait: {
    kind: 'histogram',
    name: 'isopod_admission_wait_seconds',
    help: 'How long jobs waited for their share of the budget; part of the phase acquire.',
    labels: {},
    buckets: PHASE_SECONDS,
  },
  workerState: {
    kind: 'gauge',
    name: 'isopod_worker_state',
    help: '1 for the state that the worker is in, 0 for the others.',
    labels: { state: ['starting', 'failed_self_test', 'ready', 'paused', 'draining', 'stopped'] },
  },
  selfTestFailed: {
    kind: 'gauge',
    name: 'isopod_selftest_failed',
    help: '1 for a canary attack that got what it must not get, 0 for one that the containers withstood.',
    labels: { probe: 'own' },
  },
  selfTestDuration: {
    kind: 'gauge',
    name: 'isopod_selftest_duration_seconds',
    help: 'How long the last self-test took.',
    labels: {},
  },
  workerInfo: {
    kind: 'gauge',
    name: 'isopod_worker_info',
    help: 'Always 1; the labels say what the worker runs on.',
    labels: { version: 'own', engine: 'own', runtime: 'own', cgroup: 'own' },
  },
  workerLastPickup: {
    kind: 'gauge',
    name: 'isopod_worker_last_pickup_timestamp_seconds',
    help: 'Unix time at which this worker last took a job.',
    labels: {},
  },
  containers: {
    kind: 'gauge',
    name: 'isopod_containers',
    help: 'Containers of this worker, by state.',
    labels: { state: ['running', 'shelved', 'removing'] },
  },
  containerResets: {
    kind: 'counter',
    name: 'isopod_container_resets_total',
    help: 'Containers that a job of a batch gave back: proven clean, or discarded because something was in doubt.',
    labels: { outcome: ['clean', 'discarded'] },
  },
  poolContainers: {
    kind: 'gauge',
    name: 'isopod_pool_containers',
    help: 'Containers that wait for a job, by image.',
    labels: { image: 'listed' },
  },
  poolRequests: {
    kind: 'counter',
    name: 'isopod_pool_requests_total',
    help: 'Containers that jobs asked for; a hit is one that was waiting.',
    labels: { image: 'listed', outcome: ['hit', 'miss'] },
  },
  containerOperations: {
    kind: 'counter',
    name: 'isopod_container_operations_total',
    help: 'Calls to the engine.',
    labels: { op: OPERATIONS, outcome: ['ok', 'not_found', 'timeout', 'error'] },
  },
  containerOperationTime: {
    kind: 'histogram',
    name: 'isopod_container_operation_seconds',
    help: 'How long calls to the engine took.',
    labels: { op: OPERATIONS },
    buckets: CALL_SECONDS,
  },
  containersReaped: {
    kind: 'counter',
    name: 'isopod_containers_reaped_total',
    help: 'Containers that a crash left and the reaper removed.',
    labels: { reason: ['deadline', 'owner_gone'] },
  },
  containerMemoryPeak: {
    kind: 'histogram',
    name: 'isopod_container_memory_peak_bytes',
    help: 'Peak memory of executions.',
    labels: {},
    buckets: MEMORY_BYTES,
  },
  containerCpu: {
    kind: 'counter',
    name: 'isopod_container_cpu_seconds_total',
    help: 'CPU time of executions, user and system together.',
    labels: {},
  },
  outputTruncated: {
    kind: 'counter',
    name: 'isopod_output_truncated_total',
    help: 'Streams that were longer than the result carries.',
    labels: { stream: ['stdout', 'stderr'] },
  },
  tests: {
    kind: 'counter',
    name: 'isopod_tests_total',
    help: 'Tests of jobs, by verdict.',
    labels: {
      language: 'listed',
      verdict: [
        'passed',
        'wrong_answer',
        'timeout',
        'memory_exceeded',
        'runtime_error',
        'output_exceeded',
        'skipped',
      ],
    },
  },
  testsSuspicious: {
    kind: 'counter',
    name: 'isopod_tests_suspicious_total',
    help: 'Tests whose program looks as if it was written to pass without doing what is asked.',
    labels: { language: 'listed' },
  },
  policyRejections: {
    kind: 'counter',
    name: 'isopod_policy_rejections_total',
    help: 'Rules of the policy that jobs were refused for.',
    // Rules are the product's own, a closed list that grows with it.
    labels: { language: 'listed', rule: 'own' },
  },
  egressConnections: {
    kind: 'counter',
    name: 'isopod_egress_connections_total',
    help: 'Connections that jobs with a network profile made or tried.',
    labels: { profile: 'own', outcome: ['allowed', 'refused', 'failed', 'cut'] },
  },
  egressBytes: {
    kind: 'counter',
    name: 'isopod_egress_bytes_total',
    help: 'Bytes that jobs sent (up) and received (down) through their network profiles.',
    labels: { profile: 'own', direction: ['up', 'down'] },
  },
  dockerUp: {
    kind: 'gauge',
    name: 'isopod_docker_up',
    help: '1 when the engine answered last.',
    labels: {},
  },
  redisUp: {
    kind: 'gauge',
    name: 'isopod_redis_up',
    help: '1 when Redis answered last.',
    labels: {},
  },
} as const satisfies Record<string, MetricDefinition>
