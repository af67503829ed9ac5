import type { Redis } from 'ioredis'

/**
 * Has a client write all commands of one turn of the event loop at once; ioredis makes one system call of each. No command
 * waits longer for it: what one batch of replies has set going leaves as one batch of commands.
 *
 * @returns the same client
 */
export function batchWrites(redis: Redis): Redis {
  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (...args) => {
    const { stream } = redis
    if (stream?.writableCorked === 0) {
      stream.cork()
      // Comes when the promises that this turn resolved have all said what they want of Redis.
      process.nextTick(() => stream.uncork())
    }
    return send(...args)
  }
  return redis
}
