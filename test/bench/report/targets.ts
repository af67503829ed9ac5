import type { Unit } from '../measure/book.ts'
import { CPU_BESIDE_PROGRAM, CPU_OF_PROGRAM, LATE_GROWTH, LEFT_ON_HOST, NAMES } from '../names.ts'

/** Returns the value of a metric of a contender in the target's case. */
export type MetricLookup = (contender: string, metric?: string) => number | undefined

/** One promise about speed, and how to judge a measurement by it. */
export interface Target {
  readonly case: string
  readonly contender: string
  readonly metric: string
  readonly unit: Unit
  /** Contender of the same case to compare with; null for an absolute target. */
  readonly baseline: string | null
  /** The promise in words. */
  readonly words: string
  /** Whether the value meets the promise. */
  readonly holds: (value: number, baseline: number, measuredOf: MetricLookup) => boolean
}

const HELLO = { case: 'hello-python-idle', contender: NAMES.fresh, unit: 'ms' } as const
const PROCESS_IDLE = { case: 'process-idle', metric: 'p50', unit: 'ms', baseline: NAMES.own } as const
const PROCESS_SANDBOXES = { case: 'process-leftovers', contender: NAMES.sandboxes, baseline: null } as const
const times = (share: number) => (value: number, baseline: number) => value >= share * baseline
const faster = (factor: number) => (value: number, baseline: number) => baseline >= factor * value

/** What a plain interpreter with hello took where the promises of process sandboxes in milliseconds were made. */
const REFERENCE_PLAIN_MS = 12.5
/** The same promises in proportion: a slower machine takes longer for both. */
const NO_POOL_SHARE = 9 / REFERENCE_PLAIN_MS
const POOL_SHARE = 5 / REFERENCE_PLAIN_MS
const CPU_SHARE = 9 / REFERENCE_PLAIN_MS
const withinShare = (share: number) => (value: number, own: number, measuredOf: MetricLookup) =>
  value <= own + share * (measuredOf(NAMES.plain) ?? Number.NaN)

const SPLIT_WORDS = '≥ 0.7x the rate of plain interpreters'

/** All promises about speed. */
export const TARGETS: readonly Target[] = [
  {
    ...HELLO,
    metric: 'p50',
    baseline: NAMES.own,
    words: '≤ the program’s own run time + 6 ms',
    holds: (value, own) => value <= own + 6,
  },
  {
    ...HELLO,
    metric: 'p99',
    baseline: NAMES.own,
    words: '≤ the program’s own run time (p50) + 20 ms',
    holds: (value, _, measuredOf) => value <= (measuredOf(NAMES.own, 'p50') ?? Number.NaN) + 20,
  },
  { ...HELLO, metric: 'p50', baseline: NAMES.dockerRun, words: '≥ 12x faster', holds: faster(12) },
  { ...HELLO, metric: 'p50', baseline: NAMES.loop, words: '≥ 6x faster', holds: faster(6) },
  {
    case: 'hello-python-saturated',
    contender: NAMES.fresh,
    metric: 'rate',
    unit: '/s',
    baseline: NAMES.loop,
    words: '≥ 1.0x the rate of the loop at its best',
    holds: times(1),
  },
  rate('humaneval', NAMES.fresh, NAMES.loop, '≥ 1.0x the rate of that loop', 1),
  rate('humaneval', NAMES.batch, NAMES.plain, '≥ 0.85x the rate of plain interpreters', 0.85),
  rate('mbpp', NAMES.batch, NAMES.plain, '≥ 0.85x the rate of plain interpreters', 0.85),
  {
    ...HELLO,
    contender: NAMES.freshPreload,
    metric: 'p50',
    baseline: null,
    words: '≤ 8 ms',
    holds: (value) => value <= 8,
  },
  {
    case: 'numpy-pandas',
    contender: NAMES.freshPreload,
    metric: 'p50',
    unit: 'ms',
    baseline: NAMES.fresh,
    words: '≥ 5x faster than without',
    holds: faster(5),
  },
  rate('humaneval', NAMES.batchPreload, NAMES.plain, '≥ 1.4x the rate of plain interpreters', 1.4),
  rate('mbpp', NAMES.batchPreload, NAMES.plain, '≥ 1.4x the rate of plain interpreters', 1.4),
  rate('humaneval-scripts', NAMES.batchSplitPreload, NAMES.plain, SPLIT_WORDS, 0.7),
  rate('mbpp-scripts', NAMES.batchSplitPreload, NAMES.plain, SPLIT_WORDS, 0.7),
  rate('fifty-tests', NAMES.oneForAll, NAMES.onePerTest, '≥ 15x the rate of one container per test', 15),
  rate('queue-alone', NAMES.queue, NAMES.bullmq, '≥ 0.3x raw BullMQ in the same process layout', 0.3),
  {
    case: 'fairness',
    contender: NAMES.queueOfTenants,
    metric: 'rate, submission included',
    unit: '/s',
    baseline: NAMES.queueWithoutTurns,
    words: '≥ 0.9x the queue without turns of tenants',
    holds: times(0.9),
  },
  {
    case: 'first-byte',
    contender: NAMES.live,
    metric: 'p99',
    unit: 'ms',
    baseline: null,
    words: '≤ 20 ms',
    holds: (value) => value <= 20,
  },
  {
    case: 'gateway',
    contender: NAMES.gateway,
    metric: 'p50',
    unit: 'ms',
    baseline: NAMES.client,
    words: '≤ the client’s + 3 ms',
    holds: (value, client) => value <= client + 3,
  },
  {
    case: 'gateway',
    contender: NAMES.gateway,
    metric: 'rate',
    unit: '/s',
    baseline: null,
    words: '≥ 1,500 submits per second',
    holds: (value) => value >= 1500,
  },
  rate('workers', '2 workers', '1 worker', '≥ 1.9x', 1.9),
  rate('workers', '4 workers', '1 worker', '≥ 3.6x', 3.6),
  {
    ...PROCESS_IDLE,
    contender: NAMES.processWithoutPool,
    words: '≤ the program’s own run time + 9 ms',
    holds: (value, own) => value <= own + 9,
  },
  {
    ...PROCESS_IDLE,
    contender: NAMES.processWithoutPool,
    words: `≤ the program’s own run time + ${NO_POOL_SHARE}x a plain interpreter`,
    holds: withinShare(NO_POOL_SHARE),
  },
  {
    ...PROCESS_IDLE,
    contender: NAMES.process,
    words: '≤ the program’s own run time + 5 ms',
    holds: (value, own) => value <= own + 5,
  },
  {
    ...PROCESS_IDLE,
    contender: NAMES.process,
    words: `≤ the program’s own run time + ${POOL_SHARE}x a plain interpreter`,
    holds: withinShare(POOL_SHARE),
  },
  rate('process-saturated', NAMES.process, NAMES.loop, '≥ 5.5x the rate of the loop at its best', 5.5),
  rate('process-saturated', NAMES.process, NAMES.plain, '≥ 0.6x the rate of plain interpreters', 0.6),
  rate('process-humaneval', NAMES.process, NAMES.plain, '≥ 0.6x the rate of plain interpreters', 0.6),
  {
    ...PROCESS_SANDBOXES,
    metric: CPU_BESIDE_PROGRAM,
    unit: 'ms',
    words: '≤ 9 ms per sandbox',
    holds: (value) => value <= 9,
  },
  {
    ...PROCESS_SANDBOXES,
    metric: CPU_BESIDE_PROGRAM,
    unit: 'ms',
    words: `≤ ${CPU_SHARE}x the program’s own`,
    holds: (value, _, measuredOf) =>
      value <= CPU_SHARE * (measuredOf(NAMES.sandboxes, CPU_OF_PROGRAM) ?? Number.NaN),
  },
  ...(['processes', 'mounts', 'cgroups', 'files'] as const).map((what) => ({
    ...PROCESS_SANDBOXES,
    metric: `${LEFT_ON_HOST}${what}`,
    unit: 'count' as const,
    words: `no ${what} are left`,
    holds: (value: number) => value <= 0,
  })),
  {
    ...PROCESS_SANDBOXES,
    metric: 'memory, last quarter above the third',
    unit: 'MB',
    words: 'no growth (within 2 MB)',
    holds: (value) => value <= 2,
  },
  {
    case: 'worker-memory',
    contender: NAMES.worker,
    metric: 'RSS, highest',
    unit: 'MB',
    baseline: null,
    words: '≤ 150 MB',
    holds: (value) => value <= 150,
  },
  {
    case: 'worker-memory',
    contender: NAMES.worker,
    metric: LATE_GROWTH,
    unit: 'MB',
    baseline: null,
    words: 'no growth over the last 10,000 of 20,000 jobs (within 2 MB)',
    holds: (value) => value <= 2,
  },
]

function rate(name: string, contender: string, baseline: string, words: string, factor: number): Target {
  return { case: name, contender, metric: 'rate', unit: '/s', baseline, words, holds: times(factor) }
}
