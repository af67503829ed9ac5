import { ensureStack } from '@isopod/devstack'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Services that stand ready for system tests; each test starts the workers that it needs. */
    stack: { readonly redisUrl: string; readonly dockerHost: string }
  }
}

/** Sees to Redis, an engine and the images before the first system test; they are left running for the next time. */
export async function setup(project: TestProject): Promise<void> {
  const stack = await ensureStack({ workers: 0, say: (line) => console.error(`stack: ${line}`) })
  project.provide('stack', { redisUrl: stack.redis.url, dockerHost: stack.engine.dockerHost })
}
