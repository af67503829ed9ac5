import type { Access } from '@isopod/access'
import type { DeadResults, Quarantine } from '@isopod/client'
import type {
  CatalogueImage,
  EngineService,
  ImageName,
  Log,
  MadeRoot,
  RootOptions,
  RootStore,
  ServiceProcess,
  Stack,
} from '@isopod/devstack'
import type { ExitCode } from '@isopod/service-kit'
import type { WebhookQueue } from '@isopod/webhooks'
import type { JobClient } from './job-client.ts'

/** The services that commands use; `system-services.ts` implements them. */
export interface Services {
  /** Connects to a Redis; rejects within 5 s if it does not answer. */
  connect(url: string, env: NodeJS.ProcessEnv): Promise<JobClient>
  /** The stack that an earlier call left running, if all of it still answers. */
  findStack(env: NodeJS.ProcessEnv): Promise<Stack | undefined>
  /** The private Redis and engine that an earlier call left running. */
  findPrivateServices(env: NodeJS.ProcessEnv): Promise<Partial<Pick<Stack, 'redis' | 'engine'>>>
  /** Starts the missing parts of a stack with at least `workers` workers and the driver that the environment names. */
  ensureStack(options: { env: NodeJS.ProcessEnv; workers: number; log: Log }): Promise<Stack>
  /** Stops and removes what {@link Services.ensureStack} has started. */
  stackDown(options: { env: NodeJS.ProcessEnv; purge: boolean; log: Log }): Promise<void>
  /** Starts a gateway for a Redis on this machine, on a free port unless one is given; it ends with this process. */
  startGateway(options: { env: NodeJS.ProcessEnv; redisUrl: string; port?: number }): Promise<ServiceProcess>
  /** API keys and budgets of the deployment that the environment names. */
  openAccess(url: string, env: NodeJS.ProcessEnv): Promise<Access>
  /** Webhooks of the deployment that the environment names. */
  openWebhooks(url: string, env: NodeJS.ProcessEnv): Promise<WebhookQueue>
  /** Results of the deployment that their consumers could not handle. */
  openDeadResults(url: string, env: NodeJS.ProcessEnv): Promise<DeadResults>
  /** What other programs damaged in the queue of the deployment. */
  openQuarantine(url: string, env: NodeJS.ProcessEnv): Promise<Quarantine>
  /** The roots of the process driver on this host. */
  openRoots(env: NodeJS.ProcessEnv): Promise<RootStore>
  /** Makes a root of an engine's image; rejects with `ImageAbsentError` if it has none. */
  makeRoot(engine: EngineService, reference: string, options: RootOptions): Promise<MadeRoot>
  /** Builds images without an engine, and makes their roots. */
  buildRoots(names: readonly ImageName[], options: RootOptions): Promise<MadeRoot[]>
  /** Makes a root of an image in a file. */
  importRoot(file: string, reference: string, options: RootOptions): Promise<MadeRoot>
  /** The images that a worker with this environment needs. */
  catalogueImages(env: NodeJS.ProcessEnv): Promise<CatalogueImage[]>
  /** Runs the MCP server on this process's stdin and stdout until it ends; resolves with its exit code. */
  serveMcp(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode>
}
