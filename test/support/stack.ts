import { ensureStack, type ImageName, installPackages, isImageName, USUAL_IMAGES } from '@isopod/devstack'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Services that stand ready for system tests; each test starts the workers that it needs. */
    stack: { readonly redisUrl: string; readonly dockerHost: string }
  }
}

/** A compiler that stands on another's image, and a virtual machine; other languages are tested where their image is there. */
const IMAGES: readonly ImageName[] = [...USUAL_IMAGES, 'cpp', 'java']
/** An engine that cannot have all of them says which it has: names with blanks between. */
const GIVEN = process.env['TEST_IMAGES']?.split(' ').filter(isImageName)

/** Starts Redis and an engine and builds the images before the first system test; they are left running for the next time. */
export async function setup(project: TestProject): Promise<void> {
  const log = (line: string) => console.error(`stack: ${line}`)
  const stack = await ensureStack({ workers: 0, images: GIVEN ?? IMAGES, log })
  // Only root can use it; the specs that need it say so when they are skipped.
  if (process.getuid?.() === 0) await installPackages(['iproute2'], log).catch((error) => log(String(error)))
  project.provide('stack', { redisUrl: stack.redis.url, dockerHost: stack.engine.dockerHost })
}
