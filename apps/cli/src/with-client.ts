import { type Io, note } from './io.ts'
import type { JobClient } from './job-client.ts'
import type { Services } from './services.ts'

/** A start that takes longer is installing or building something, in milliseconds. */
const SLOW_START_MS = 3_000

/**
 * Lends a connected client: to the Redis of `REDIS_URL` if that is set, else to the private stack of this checkout,
 * which is started if need be and left running for the next call.
 */
export async function withClient<T>(
  io: Io,
  services: Services,
  use: (client: JobClient) => Promise<T>,
): Promise<T> {
  const url = io.env['REDIS_URL'] || (await privateRedis(io, services))
  const client = await services.connect(url, io.env)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

async function privateRedis(io: Io, services: Services): Promise<string> {
  const found = await services.findStack(io.env)
  if (found !== undefined) return found.redis.url
  note(io, 'isopod: no REDIS_URL and nothing running, so a private stack starts; «isopod down» stops it')
  const steps = patientSteps((line) => note(io, `isopod: ${line}`))
  try {
    return (await services.ensureStack({ env: io.env, workers: 1, say: steps.say })).redis.url
  } finally {
    steps.end()
  }
}

/** Keeps the steps of a quick start to itself; from the moment on that a start is slow, its user may follow it. */
function patientSteps(say: (line: string) => void): { say(line: string): void; end(): void } {
  let held: string[] | undefined = []
  const timer = setTimeout(() => {
    for (const line of held ?? []) say(line)
    held = undefined
  }, SLOW_START_MS)
  return {
    say: (line) => {
      if (held === undefined) say(line)
      else held.push(line)
    },
    end: () => clearTimeout(timer),
  }
}
