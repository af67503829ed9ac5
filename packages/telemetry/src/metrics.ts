import pTimeout from 'p-timeout'
import * as prom from 'prom-client'
import { boundLabels, type ListedLabels } from './bound-labels.ts'
import type { LabelSpec, LabelValues, MetricDefinition } from './metric-definition.ts'
import { METRIC_TABLE } from './metric-table.ts'

/** Timeout of reads during a scrape, in milliseconds. */
const COLLECT_DEADLINE_MS = 2_000

type Labels = Readonly<Record<string, LabelSpec>>

/** A counter. */
export interface Counter<L extends Labels> {
  /** @param by increment, not negative. @default 1 */
  inc(labels: LabelValues<L>, by?: number): void
}

/** A gauge. */
export interface Gauge<L extends Labels> {
  set(labels: LabelValues<L>, value: number): void
  inc(labels: LabelValues<L>, by?: number): void
  dec(labels: LabelValues<L>, by?: number): void
  /** Removes all values from the exposition until one is set again. */
  clear(): void
}

/** Counts observations in buckets; values are in the unit of the metric's name. */
export interface Histogram<L extends Labels> {
  observe(labels: LabelValues<L>, value: number): void
}

type Handle<D extends MetricDefinition> = D['kind'] extends 'counter'
  ? Counter<D['labels']>
  : D['kind'] extends 'gauge'
    ? Gauge<D['labels']>
    : Histogram<D['labels']>

/** The metrics of one app: key of the handle → its row. */
export type MetricTable = Readonly<Record<string, MetricDefinition>>

/** One handle for each row of a table of metrics. */
export type MetricHandles<T extends MetricTable> = { readonly [K in keyof T]: Handle<T[K]> }

/** The exposition of an app's metrics. */
export interface MetricsExposition {
  /** Content type of {@link Metrics.render}. */
  readonly contentType: string
  /** Registers a read for each scrape, for example of queue lengths. Omits reads that fail or take longer than 2 s. */
  onScrape(collect: () => Promise<void> | void): void
  /** The exposition text, after all reads of `onScrape`. */
  render(): Promise<string>
}

/** All metrics of a worker, and their text for Prometheus. */
export type Metrics = MetricHandles<typeof METRIC_TABLE> & MetricsExposition

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  /** Values of the labels that the table does not list; other values count as `other`. */
  readonly listed: ListedLabels
  /** Includes metrics of the Node process (`process_*`, `nodejs_*`). @default true */
  readonly processMetrics?: boolean
}

/**
 * Creates the metrics of a worker in their own registry.
 *
 * @example
 * ```ts
 * const metrics = createMetrics({ listed: { language: ['python'], status: STATUSES, image: [] } })
 * metrics.jobsFinished.inc({ language: 'python', status: 'success' })
 * ```
 */
export function createMetrics(options: MetricsOptions): Metrics {
  return createMetricsOf(METRIC_TABLE, options)
}

/** Creates the metrics of an app from its table, in their own registry. */
export function createMetricsOf<T extends MetricTable>(
  table: T,
  { listed, processMetrics = true }: MetricsOptions,
): MetricHandles<T> & MetricsExposition {
  const registry = new prom.Registry()
  if (processMetrics) prom.collectDefaultMetrics({ register: registry })
  const entries = Object.entries(table).map(([key, row]) => [key, createHandle(row, listed, registry)])
  const collectors: (() => Promise<void> | void)[] = []
  return {
    ...(Object.fromEntries(entries) as MetricHandles<T>),
    contentType: registry.contentType,
    onScrape: (collect) => {
      collectors.push(collect)
    },
    render: async () => {
      await Promise.all(collectors.map(runGuarded))
      return await registry.metrics()
    },
  }
}

type Bound = Readonly<Record<string, string>>

/**
 * Connects typed rows with the library. Each method bounds its labels first, and ignores values that are not finite,
 * because a measurement must never fail a job.
 */
function createHandle(row: MetricDefinition, listed: ListedLabels, registry: prom.Registry) {
  const options = {
    name: row.name,
    help: row.help,
    labelNames: Object.keys(row.labels),
    registers: [registry],
  }
  const guard =
    (use: (labels: Record<string, string>, value: number) => void) => (given: Bound, value: number) => {
      if (Number.isFinite(value)) use(boundLabels(row.labels, given, listed), value)
    }
  switch (row.kind) {
    case 'counter': {
      const counter = new prom.Counter(options)
      const inc = guard((labels, by) => counter.inc(labels, Math.max(0, by)))
      return { inc: (labels: Bound, by = 1) => inc(labels, by) }
    }
    case 'gauge': {
      const gauge = new prom.Gauge(options)
      const inc = guard((labels, by) => gauge.inc(labels, by))
      const set = guard((labels, value) => gauge.set(labels, value))
      return {
        set,
        inc: (labels: Bound, by = 1) => inc(labels, by),
        dec: (labels: Bound, by = 1) => inc(labels, -by),
        clear: () => {
          gauge.reset()
          // After a reset a gauge without labels keeps a 0.
          if (Object.keys(row.labels).length === 0) gauge.remove()
        },
      }
    }
    case 'histogram': {
      const histogram = new prom.Histogram({ ...options, buckets: [...(row.buckets ?? [])] })
      return { observe: guard((labels, value) => histogram.observe(labels, value)) }
    }
    default:
      return row.kind satisfies never
  }
}

/** Ignores faults and hangs of reads, because metrics must work while what they measure is broken. */
async function runGuarded(collect: () => Promise<void> | void): Promise<void> {
  try {
    await pTimeout(Promise.resolve(collect()), { milliseconds: COLLECT_DEADLINE_MS, message: false })
  } catch {
    // The gauges keep their last value; `redis_up` or `docker_up` shows the cause.
  }
}
