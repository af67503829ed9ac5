import type { Redis } from 'ioredis'

/** Commands that are written at once: more, and Redis and this process would wait for each other in turns. */
const MOST = 16

/**
 * Has a client write the commands of one turn of the event loop by the handful; ioredis makes one system call of each. No
 * command waits for longer than the turn: what one batch of replies has set going leaves with it.
 *
 * @returns the same client
 */
export function batchWrites(redis: Redis): Redis {
  const send = redis.sendCommand.bind(redis)
  let held = 0
  redis.sendCommand = (...args) => {
    const { stream } = redis
    if (stream?.writableCorked === 0) {
      held = 0
      stream.cork()
      // Comes when the promises that this turn resolved have all said what they want of Redis.
      process.nextTick(() => stream.uncork())
    } else if (stream && ++held === MOST) {
      held = 0
      stream.uncork()
      stream.cork()
    }
    return send(...args)
  }
  return redis
}
