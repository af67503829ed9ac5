import type { Access } from '@isopod/access'
import type { IsopodClient } from '@isopod/client'
import type { Logger, MetricHandles, MetricsExposition } from '@isopod/telemetry'
import type { CallbackRule } from './callback-rule.ts'
import type { Callers } from './callers.ts'
import type { GatewayConfig } from './config.ts'
import type { GATEWAY_METRICS } from './gateway-metrics.ts'
import type { Submissions } from './submissions.ts'

/** The parts that `main` joins, and that routes use. */
export interface GatewayParts {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly metrics: MetricHandles<typeof GATEWAY_METRICS> & MetricsExposition
  readonly client: IsopodClient
  readonly access: Access
  readonly callers: Callers
  readonly submissions: Submissions
  readonly callbackRule: CallbackRule
}
