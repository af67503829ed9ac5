import { redisKeys } from '../redis.ts'
import type { Observer } from './observer.ts'

/** Reports keys with the attack's marker in their name. */
export function watchRedis(url: string, marker: string): Observer {
  return {
    async findings() {
      return (await redisKeys(url, `*${marker}*`)).map((key) => `Redis has got the key ${key}`)
    },
  }
}
