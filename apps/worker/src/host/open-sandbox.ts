import type { Catalogue } from '@isopod/languages'
import {
  ContainerSandbox,
  type Driver,
  openDockerDriver,
  openProcessDriver,
  type Sandbox,
  type SandboxEvent,
} from '@isopod/sandbox'
import type { WorkerConfig } from '../config.ts'
import { checkPreloadProfiles } from './profile-rules.ts'

type Languages = Pick<Catalogue, 'languages'>
type Observe = (event: SandboxEvent) => void

/** Opens the sandbox that a worker's settings describe. */
export async function openSandbox(
  config: WorkerConfig,
  deployment: string,
  catalogue: Languages,
  observe?: Observe,
): Promise<Sandbox> {
  const { pool, batch, budget } = config
  const driver = await openDriver(config, deployment, catalogue, observe)
  checkPreloadProfiles(catalogue.languages, driver.facts.profiles)
  return new ContainerSandbox(driver, {
    deployment,
    pool: { ...pool, size: pool.size ?? budget.slots },
    batch: {
      // Room for two batches that alternate and each use all slots.
      containers: budget.slots && 2 * budget.slots,
      idleMs: batch.idleSeconds * 1000,
      executions: batch.runs,
    },
    observe,
  })
}

/** Opens the driver that makes the worker's sandboxes, with the seccomp profiles that its languages name. */
function openDriver(
  { driver, docker, process, seccomp, workerId: owner, users }: WorkerConfig,
  deployment: string,
  { languages }: Languages,
  observe: Observe | undefined,
): Promise<Driver> {
  const names = languages.map((language) => language.seccomp_profile)
  const options = {
    ...{ deployment, owner, users, observe },
    seccompProfile: seccomp.profile,
    languageProfiles: { names, directory: seccomp.profilesDirectory },
  }
  if (driver === 'process') return openProcessDriver({ ...options, ...process })
  const { stack, ...engine } = docker
  const labels = stack === undefined ? {} : { 'isopod.stack': stack }
  return openDockerDriver({ ...options, ...engine, labels })
}
