import { ensureStack, type ImageName, installPackages, isImageName, USUAL_IMAGES } from '@isopod/devstack'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The services for system tests; each test starts its own workers. */
    stack: { readonly redisUrl: string; readonly dockerHost: string }
  }
}

/** Also an image based on another one, and a virtual machine. Other languages are tested only if their image exists. */
const IMAGES: readonly ImageName[] = [...USUAL_IMAGES, 'cpp', 'java']
/** Images that the engine can have, separated by spaces. @default all */
const GIVEN = process.env['TEST_IMAGES']?.split(' ').filter(isImageName)

/** Starts Redis and an engine and builds images before the first system test. Leaves them running for the next run. */
export async function setup(project: TestProject): Promise<void> {
  const log = (line: string) => console.error(`stack: ${line}`)
  const stack = await ensureStack({ workers: 0, images: GIVEN ?? IMAGES, log })
  // Only root can use it; specs that need it are skipped with this reason.
  if (process.getuid?.() === 0) await installPackages(['iproute2'], log).catch((error) => log(String(error)))
  project.provide('stack', { redisUrl: stack.redis.url, dockerHost: stack.engine.dockerHost })
}
