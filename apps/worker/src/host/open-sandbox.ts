import type { Catalogue } from '@isopod/languages'
import { openDockerSandbox, type Sandbox, type SandboxEvent } from '@isopod/sandbox'
import type { WorkerConfig } from '../config.ts'
import { refusePreloadWithout } from './profile-rules.ts'

/** Opens the sandbox that a worker's settings describe, with the seccomp profiles that its languages name. */
export async function openSandbox(
  config: WorkerConfig,
  deployment: string,
  { languages }: Pick<Catalogue, 'languages'>,
  observe?: (event: SandboxEvent) => void,
): Promise<Sandbox> {
  const { stack, seccompProfilesDirectory: directory, ...engine } = config.engine
  const sandbox = await openDockerSandbox({
    ...engine,
    deployment,
    owner: config.workerId,
    users: config.users,
    languageProfiles: { names: languages.map((language) => language.seccomp_profile), directory },
    pool: { ...config.pool, size: config.pool.size ?? config.budget.slots },
    batch: {
      // Room for two batches that alternate and each use all slots.
      containers: config.budget.slots && 2 * config.budget.slots,
      idleMs: config.batch.idleSeconds * 1000,
      executions: config.batch.runs,
    },
    ...(stack !== undefined && { labels: { 'isopod.stack': stack } }),
    ...(observe !== undefined && { observe }),
  })
  refusePreloadWithout(languages, sandbox.facts.profiles)
  return sandbox
}
