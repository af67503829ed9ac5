export { boundedTask, type TaskMessage, type TaskReply } from './bounded-task.ts'
export {
  type TaskFailure,
  type TaskOptions,
  type TaskOutcome,
  ThreadPool,
  type ThreadPoolOptions,
} from './thread-pool.ts'
