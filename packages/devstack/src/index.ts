export { contentHash } from './content-hash.ts'
export { checkEngine, engineJson } from './engine-api.ts'
export type { ExtraRuntime } from './engine-runtimes.ts'
export type { EngineService } from './engine-service.ts'
export { freePort } from './free-port.ts'
export { type GatewayOptions, startGateway } from './gateway-process.ts'
export { imageDockerfile, recipeArguments } from './image-content.ts'
export {
  IMAGE_NAMES,
  IMAGES,
  type ImageName,
  isImageName,
  parentOf,
  USUAL_IMAGES,
} from './image-names.ts'
export { type ImageState, imageStates } from './image-states.ts'
export { endMounts } from './leftovers.ts'
export type { Log } from './log.ts'
export { CHECKOUT, type Paths, stackPaths } from './paths.ts'
export { checkRedis, withoutPassword } from './redis-ping.ts'
export { type RedisServer, type RedisServerOptions, startRedisServer } from './redis-server.ts'
export type { RedisService } from './redis-service.ts'
export {
  type CommandOptions,
  type CommandOutcome,
  findProgram,
  runCommand,
  tryCommand,
} from './run-command.ts'
export { checkService, type ServiceProcess } from './service-process.ts'
export { SetupError } from './setup-error.ts'
export { ensureBaseImage, ensureStack, findStack, type Stack, type StackOptions } from './stack.ts'
export { type DownOptions, stackDown } from './stack-down.ts'
export { installPackages, type SystemNeed } from './system-packages.ts'
export { startWorker, type WorkerOptions, type WorkerProcess } from './worker-process.ts'
export { runSelfTest, type WorkerSelfTestOptions } from './worker-self-test.ts'
