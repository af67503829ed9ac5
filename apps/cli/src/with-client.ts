import { fitsDriver } from './driver.ts'
import { type Io, note } from './io.ts'
import type { JobClient } from './job-client.ts'
import type { Services } from './services.ts'
import { startStack } from './start-stack.ts'

/**
 * Calls `use` with a connected client: to the Redis of `REDIS_URL` if it is set, else to the private stack of this checkout,
 * which is started if need be and left running for the next call.
 */
export async function withClient<T>(
  io: Io,
  services: Services,
  use: (client: JobClient) => Promise<T>,
): Promise<T> {
  const client = await services.connect(await redisUrl(io, services), io.env)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** The Redis of `REDIS_URL`, else that of the private stack of this checkout, which is started if need be. */
export async function redisUrl(io: Io, services: Services): Promise<string> {
  const given = io.env['REDIS_URL']
  if (given) return given
  const found = await services.findStack(io.env)
  if (found !== undefined && fitsDriver(found, io.env)) return found.redis.url
  note(io, 'isopod: no REDIS_URL and nothing running, so a private stack starts; "isopod down" stops it')
  return (await startStack(io, services, 1)).redis.url
}
