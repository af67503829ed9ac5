import { errorCode } from './error-exit.ts'

/**
 * Maps a thrown value to an HTTP status. 500 means a bug, whose message must not reach the caller.
 */
export function httpStatusOf(error: unknown): 400 | 404 | 409 | 429 | 500 | 503 {
  switch (errorCode(error)) {
    case 'usage':
    case 'config':
    case 'dataset':
    case 'invalid_job':
      return 400
    case 'unknown_job':
      return 404
    case 'idempotency_conflict':
    case 'batch_conflict':
    case 'batch_busy':
      return 409
    case 'tenant_queue_full':
      return 429
    case 'unavailable':
    case 'no_worker':
    case 'queue_full':
    case 'storage_full':
    case 'retryable':
      return 503
    default:
      return 500
  }
}
