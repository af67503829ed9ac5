import { JOB_SECONDS, PHASE_SECONDS } from './buckets.ts'
import type { MetricDefinition } from './metric-definition.ts'

/** What a worker counts of its jobs, and of the queue that they come from. */
export const JOB_METRICS = {
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
  queueQuarantined: {
    kind: 'gauge',
    name: 'isopod_queue_quarantined',
    help: 'What was ever taken out of the queue as it is no job: written to Redis past the client.',
    labels: { reason: ['malformed', 'reserved', 'wrong_type', 'too_large', 'structure'] },
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
  liveEventsDropped: {
    kind: 'counter',
    name: 'isopod_live_events_dropped_total',
    help: 'Events of running jobs that were not told live: beyond the share of a job, or too fast for Redis. Results have all.',
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
  secondRuns: {
    kind: 'counter',
    name: 'isopod_second_runs_total',
    help: 'Jobs that timed out starved of CPU: made once more, alone; denied for lack of allowance, yielded to another tenant, or given up as time ran out.',
    labels: { outcome: ['made', 'denied', 'yielded', 'given_up'] },
  },
  secondRunSeconds: {
    kind: 'counter',
    name: 'isopod_second_run_seconds_total',
    help: 'Time for which such runs held up the other jobs of this worker.',
    labels: {},
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
} as const satisfies Record<string, MetricDefinition>
