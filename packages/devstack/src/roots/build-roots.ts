import { join } from 'node:path'
import { BuildahBuilder } from '../images/buildah-builder.ts'
import { imageContent } from '../images/image-content.ts'
import { IMAGES, type ImageName } from '../images/image-names.ts'
import { buildImages } from '../images/images.ts'
import { withLock } from '../lock.ts'
import { stackPaths } from '../paths.ts'
import { asSetupError } from '../setup-error.ts'
import { buildahRoot } from './buildah-root.ts'
import { addRoot, type MadeRoot, openRoots, type RootOptions } from './roots.ts'

/** Maximum wait for another process that builds roots, in milliseconds. */
const MAX_WAIT_MS = 3_600_000

/** The images of which this host has no root, or one of other sources than this checkout's. Takes milliseconds. */
export async function outdatedRoots(
  names: readonly ImageName[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ImageName[]> {
  const roots = await (await openRoots(env)).list()
  const contents = await Promise.all(names.map(imageContent))
  return names.filter((name, index) => {
    const root = roots.find(({ references }) => references.includes(IMAGES[name]))
    return root?.content !== contents[index]
  })
}

/**
 * Builds images without an engine and makes their roots, unless this host has them. Another process that builds roots in this
 * checkout waits.
 *
 * @returns one entry per image
 * @throws {SetupError} if an image cannot be built or unpacked
 */
export async function buildRoots(
  names: readonly ImageName[],
  options: RootOptions = {},
): Promise<MadeRoot[]> {
  const { env = process.env, log = () => {} } = options
  const outdated = await outdatedRoots(names, env)
  const made = new Map<string, MadeRoot>()
  const lock = join(stackPaths(env).imageLocks, 'buildah')
  const build = async () => {
    const builder = await BuildahBuilder.open({ env, log })
    const onReady = async (name: ImageName) => {
      const root = await addRoot(await buildahRoot(builder, IMAGES[name]), options)
      made.set(root.reference, root)
    }
    await buildImages(builder, outdated, { env, log, onReady })
  }
  if (outdated.length > 0) await asSetupError(() => withLock(lock, build, { log, waitMs: MAX_WAIT_MS }))
  const roots = await (await openRoots(env)).list()
  return names.map((name) => {
    const reference = IMAGES[name]
    const digest = roots.find(({ references }) => references.includes(reference))?.digest ?? ''
    return made.get(reference) ?? { reference, digest, unpacked: false }
  })
}
