export { checkEngine, engineJson } from './engine/engine-api.ts'
export type { EngineService } from './engine/engine-service.ts'
export { endMounts } from './engine/leftovers.ts'
export { contentHash } from './images/content-hash.ts'
export { imageDockerfile, recipeArguments } from './images/image-content.ts'
export {
  IMAGE_NAMES,
  IMAGES,
  type ImageName,
  isImageName,
  parentOf,
  USUAL_IMAGES,
} from './images/image-names.ts'
export { type ImageState, imageStates } from './images/image-states.ts'
export type { Log } from './log.ts'
export { CHECKOUT, type Paths, stackPaths } from './paths.ts'
export { freePort } from './process/free-port.ts'
export { type GatewayOptions, startGateway } from './process/gateway-process.ts'
export { checkService, type ServiceProcess } from './process/service-process.ts'
export { startWorker, type WorkerOptions, type WorkerProcess } from './process/worker-process.ts'
export { checkRedis, withoutPassword } from './redis/redis-ping.ts'
export { type RedisServer, type RedisServerOptions, startRedisServer } from './redis/redis-server.ts'
export type { RedisService } from './redis/redis-service.ts'
export { buildRoots, outdatedRoots } from './roots/build-roots.ts'
export { type CatalogueImage, catalogueImages } from './roots/catalogue-images.ts'
export { ImageAbsentError } from './roots/engine-root.ts'
export {
  ensureRoots,
  importRoot,
  type MadeRoot,
  makeRoot,
  openRoots,
  type RootOptions,
  type RootStore,
  type StoredRoot,
} from './roots/roots.ts'
export {
  type CommandOptions,
  type CommandOutcome,
  findProgram,
  runCommand,
  tryCommand,
} from './run-command.ts'
export type { ExtraRuntime } from './runtimes/engine-runtimes.ts'
export { SetupError } from './setup-error.ts'
export { checkProcessHost, type HostFinding } from './stack/process-host.ts'
export {
  type EngineStack,
  ensureBaseImage,
  ensureStack,
  findPrivateServices,
  findStack,
  type Stack,
  type StackDriver,
  type StackOptions,
} from './stack/stack.ts'
export { type DownOptions, stackDown } from './stack/stack-down.ts'
export { runSelfTest, type WorkerSelfTestOptions } from './stack/worker-self-test.ts'
export { installPackages, type SystemNeed } from './system-packages.ts'
