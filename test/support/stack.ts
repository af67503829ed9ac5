import {
  ensureRoots,
  ensureStack,
  type ImageName,
  imageStates,
  installPackages,
  isImageName,
  stackPaths,
  USUAL_IMAGES,
} from '@isopod/devstack'
import type { TestProject } from 'vitest/node'
import { DRIVER } from './runtime.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The services for system tests; each test starts its own workers. `roots` is the directory of the process driver's roots,
     * which `processRoots` fills.
     */
    stack: { readonly redisUrl: string; readonly dockerHost: string; readonly roots: string }
  }
}

/** The usual images, one based on another image, and one with a JVM. Other languages are tested if their image exists. */
const IMAGES: readonly ImageName[] = [...USUAL_IMAGES, 'cpp', 'java']
/** `TEST_IMAGES`: names of the images to build, separated by spaces. @default all of `IMAGES` */
const GIVEN = process.env['TEST_IMAGES']?.split(' ').filter(isImageName)

/** Starts Redis and an engine and builds images before the first system test. Leaves them running for the next run. */
export async function setup(project: TestProject): Promise<void> {
  const log = (line: string) => console.error(`stack: ${line}`)
  const stack = await ensureStack({ workers: 0, images: GIVEN ?? IMAGES, log })
  // Only root can use `ip`; without it the specs that need it are skipped with a reason.
  if (process.getuid?.() === 0) await installPackages(['iproute2'], log).catch((error) => log(String(error)))
  const { roots } = stackPaths()
  if (DRIVER === 'process') {
    const present = (await imageStates(stack.engine)).filter(({ state }) => state !== 'absent')
    const references = present.map(({ tag }) => tag)
    // The processes of the specs inherit it.
    process.env['ISOPOD_ROOTS_DIR'] = await ensureRoots(stack.engine, references, { log })
  }
  project.provide('stack', { redisUrl: stack.redis.url, dockerHost: stack.engine.dockerHost, roots })
}
