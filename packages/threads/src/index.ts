export { type AskBounds, ask, type ThreadFailure, type ThreadOutcome } from './ask.ts'
export { serve } from './serve.ts'
export { startThread, type ThreadOptions } from './start-thread.ts'
export {
  type Account,
  PoolClosedError,
  type PoolRequest,
  ThreadPool,
  type ThreadPoolOptions,
} from './thread-pool.ts'
