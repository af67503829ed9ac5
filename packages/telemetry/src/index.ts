export { createLogger, LOG_LEVELS, type Logger, type LoggerOptions, type LogLevel } from './logger.ts'
export type { LabelSpec, LabelValues, MetricDefinition } from './metric-definition.ts'
export { METRIC_TABLE } from './metric-table.ts'
export {
  type Counter,
  createMetrics,
  createMetricsOf,
  type Gauge,
  type Histogram,
  type MetricHandles,
  type Metrics,
  type MetricsExposition,
  type MetricsOptions,
  type MetricTable,
} from './metrics.ts'
export { type PublicMessage, SafeError } from './safe-error.ts'
