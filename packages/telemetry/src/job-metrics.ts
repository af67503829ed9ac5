import { JOB_SECONDS, PHASE_SECONDS } from './buckets.ts'
import type { MetricDefinition } from './metric-definition.ts'

/** Metrics of a worker's jobs and of the queue. */
export const JOB_METRICS = {
  queueJobs: {
    kind: 'gauge',
    name: 'isopod_queue_jobs',
    help: 'Jobs, and results in all results queues, by state. Failed results are the dead ones: `isopod results dead`.',
    labels: {
      queue: ['jobs', 'results'],
      state: ['waiting', 'prioritized', 'active', 'delayed', 'paused', 'completed', 'failed'],
    },
  },
  queueOldestWaitingAge: {
    kind: 'gauge',
    name: 'isopod_queue_oldest_waiting_age_seconds',
    help: 'How long the oldest waiting job has waited; 0 if none waits.',
    labels: {},
  },
  queueQuarantined: {
    kind: 'gauge',
    name: 'isopod_queue_quarantined',
    help: 'Entries of the queue that other programs wrote or damaged; `isopod quarantine` lists them.',
    labels: { reason: ['malformed', 'reserved', 'wrong_type', 'too_large', 'lost', 'structure'] },
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
    help: 'Jobs that this worker requeued.',
    labels: { reason: ['engine', 'image', 'host', 'shutdown'] },
  },
  jobDeferrals: {
    kind: 'counter',
    name: 'isopod_job_deferrals_total',
    help: 'Jobs that this worker put back without using up a try, by what they wait for: a missing image, the engine, or the result of an equal job.',
    labels: { reason: ['image', 'engine', 'equal_job'] },
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
    help: 'Attempts to publish a result: ok, duplicate, fenced off by a later attempt, or failed.',
    labels: { outcome: ['ok', 'duplicate', 'fenced', 'failed'] },
  },
  resultsUntaken: {
    kind: 'gauge',
    name: 'isopod_results_untaken',
    help: 'Results that nobody has taken, in results queues and stored.',
    labels: {},
  },
  resultsUntakenBytes: {
    kind: 'gauge',
    name: 'isopod_results_untaken_bytes',
    help: 'Size of the results that nobody has taken, in Redis.',
    labels: {},
  },
  resultsOldestUntakenAge: {
    kind: 'gauge',
    name: 'isopod_results_oldest_untaken_age_seconds',
    help: 'Since the oldest result that nobody has taken was published; 0 if there is none.',
    labels: {},
  },
  resultsDropped: {
    kind: 'counter',
    name: 'isopod_results_dropped_total',
    help: 'Results that nobody took and that this worker dropped, because of their number or their size.',
    labels: { reason: ['results', 'bytes'] },
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
    help: 'Live events that were dropped because their job sent too many, or Redis was too slow. Results are complete.',
    labels: {},
  },
  outputTruncated: {
    kind: 'counter',
    name: 'isopod_output_truncated_total',
    help: 'Output streams that were too long for a result.',
    labels: { stream: ['stdout', 'stderr'] },
  },
  tests: {
    kind: 'counter',
    name: 'isopod_tests_total',
    help: 'Test cases of jobs, by verdict.',
    labels: {
      language: 'listed',
      verdict: [
        'passed',
        'wrong_answer',
        'timeout',
        'memory_exceeded',
        'runtime_error',
        'output_exceeded',
        'judge_error',
        'unverified',
        'skipped',
      ],
    },
  },
  testsSuspicious: {
    kind: 'counter',
    name: 'isopod_tests_suspicious_total',
    help: 'Test cases whose program seems to pass without solving the task.',
    labels: { language: 'listed' },
  },
  secondRuns: {
    kind: 'counter',
    name: 'isopod_second_runs_total',
    help: 'Exclusive retries of runs that timed out for lack of CPU: made, denied for lack of allowance, yielded to another tenant, or given up for lack of time.',
    labels: { outcome: ['made', 'denied', 'yielded', 'given_up'] },
  },
  secondRunSeconds: {
    kind: 'counter',
    name: 'isopod_second_run_seconds_total',
    help: 'Time for which exclusive retries held up the other jobs of this worker.',
    labels: {},
  },
  policyRejections: {
    kind: 'counter',
    name: 'isopod_policy_rejections_total',
    help: 'Policy rules that jobs were refused for.',
    // The ids of rules are a closed list of each release.
    labels: { language: 'listed', rule: 'own' },
  },
  egressConnections: {
    kind: 'counter',
    name: 'isopod_egress_connections_total',
    help: 'Connections of jobs with a network profile, by outcome.',
    labels: { profile: 'own', outcome: ['allowed', 'refused', 'failed', 'cut'] },
  },
  egressBytes: {
    kind: 'counter',
    name: 'isopod_egress_bytes_total',
    help: 'Bytes that jobs sent (up) and received (down) through their network profiles.',
    labels: { profile: 'own', direction: ['up', 'down'] },
  },
} as const satisfies Record<string, MetricDefinition>
