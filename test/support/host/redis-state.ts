import { redisKeys } from '../redis.ts'
import type { Observer } from './observer.ts'

/** Watches for keys with the marker in their name. */
export function watchRedis(url: string, marker: string): Observer {
  return {
    async findings() {
      return (await redisKeys(url, `*${marker}*`)).map((key) => `Redis has got the key ${key}`)
    },
  }
}
