import { type DockerSandbox, openDockerSandbox, type SandboxEvent } from '@isopod/sandbox'
import type { WorkerConfig } from './config.ts'

/** Opens the sandbox that a worker's settings describe. */
export function openSandbox(
  config: WorkerConfig,
  deployment: string,
  observe?: (event: SandboxEvent) => void,
): Promise<DockerSandbox> {
  const { stack, ...engine } = config.engine
  return openDockerSandbox({
    ...engine,
    deployment,
    owner: config.workerId,
    users: config.users,
    pool: { ...config.pool, size: config.pool.size ?? config.budget.slots },
    batch: {
      // Two batches that take turns, each as wide as the worker, keep all of their containers.
      containers: config.budget.slots && 2 * config.budget.slots,
      idleMs: config.batch.idleSeconds * 1000,
      executions: config.batch.runs,
    },
    ...(stack !== undefined && { labels: { 'isopod.stack': stack } }),
    ...(observe !== undefined && { observe }),
  })
}
