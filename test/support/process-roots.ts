import { ensureRoots, IMAGES } from '@isopod/devstack'
import { inject } from 'vitest'

/**
 * Makes roots of images of the tests' engine, unless this host has them. Not part of the set-up of all
 * specs: it takes a second for each image, and only specs of the process driver need it.
 *
 * @returns the directory of the roots
 */
export async function processRoots(references: readonly string[] = [IMAGES.bash]): Promise<string> {
  const { dockerHost, roots } = inject('stack')
  const env = { ...process.env, ISOPOD_ROOTS_DIR: roots }
  const log = (line: string) => console.error(`roots: ${line}`)
  return await ensureRoots({ dockerHost, ours: false }, references, { env, log })
}
