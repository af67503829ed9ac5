import { CALL_SECONDS, MEMORY_BYTES, PHASE_SECONDS } from './buckets.ts'
import { JOB_METRICS } from './job-metrics.ts'
import type { MetricDefinition } from './metric-definition.ts'

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
  ...JOB_METRICS,
  workerSlots: {
    kind: 'gauge',
    name: 'isopod_worker_slots',
    help: 'Slots of this worker, used and free.',
    labels: { state: ['busy', 'free'] },
  },
  admissionMemory: {
    kind: 'gauge',
    name: 'isopod_admission_memory_bytes',
    help: 'Sum of the memory limits of running executions, and what is left of the budget.',
    labels: { state: ['used', 'free'] },
  },
  admissionCpus: {
    kind: 'gauge',
    name: 'isopod_admission_cpus',
    help: 'Sum of the CPU limits of running executions in cores, and what is left of the budget.',
    labels: { state: ['used', 'free'] },
  },
  admissionWaiting: {
    kind: 'gauge',
    name: 'isopod_admission_waiting_jobs',
    help: 'Jobs of this worker that wait for their share of the budget.',
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
    help: '1 for the current state of the worker, 0 for the others.',
    labels: { state: ['starting', 'failed_self_test', 'ready', 'paused', 'draining', 'stopped'] },
  },
  selfTestFailed: {
    kind: 'gauge',
    name: 'isopod_selftest_failed',
    help: '1 for a probe that succeeded, 0 for one that the containers withstood.',
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
    help: 'Always 1; the labels describe the worker and its engine.',
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
    help: 'Containers that a job of a batch released: proven clean, or discarded.',
    labels: { outcome: ['clean', 'discarded'] },
  },
  poolContainers: {
    kind: 'gauge',
    name: 'isopod_pool_containers',
    help: 'Unused containers in the pool, by image.',
    labels: { image: 'listed' },
  },
  poolRequests: {
    kind: 'counter',
    name: 'isopod_pool_requests_total',
    help: 'Containers that jobs took: from the pool (hit), or started for them (miss).',
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
    help: 'Leftover containers that the reaper removed.',
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
  dockerUp: {
    kind: 'gauge',
    name: 'isopod_docker_up',
    help: '1 if the engine answered the last call.',
    labels: {},
  },
  redisUp: {
    kind: 'gauge',
    name: 'isopod_redis_up',
    help: '1 if Redis is connected.',
    labels: {},
  },
  redisFull: {
    kind: 'gauge',
    name: 'isopod_redis_full',
    help: '1 if Redis is at its maxmemory, so that this worker takes no jobs.',
    labels: {},
  },
} as const satisfies Record<string, MetricDefinition>
