import type { Catalogue } from '@isopod/languages'
import { ContainerSandbox, type Sandbox, type SandboxEvent } from '@isopod/sandbox'
import type { WorkerConfig } from '../config.ts'
import { openDriver } from './open-driver.ts'
import { checkPreloadProfiles } from './profile-rules.ts'

/** Opens the sandbox that a worker's settings describe. */
export async function openSandbox(
  config: WorkerConfig,
  deployment: string,
  catalogue: Pick<Catalogue, 'languages'>,
  observe?: (event: SandboxEvent) => void,
): Promise<Sandbox> {
  const { pool, batch, budget } = config
  const profiles = catalogue.languages.map((language) => language.seccomp_profile)
  const driver = await openDriver(config, { deployment, profiles, observe })
  checkPreloadProfiles(catalogue.languages, driver.facts.profiles)
  return new ContainerSandbox(driver, {
    deployment,
    pool: { ...pool, size: pool.size ?? budget.slots },
    batch: {
      // Room for two batches that alternate, each with a program and its judge in every slot.
      containers: budget.slots && 4 * budget.slots,
      idleMs: batch.idleSeconds * 1000,
      executions: batch.runs,
    },
    observe,
  })
}
