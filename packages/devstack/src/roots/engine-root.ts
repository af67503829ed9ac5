import type { NewRoot } from '@isopod/sandbox'
import { docker, pipeDocker, tryDocker } from '../engine/docker-cli.ts'
import { askEngine } from '../engine/engine-api.ts'
import type { EngineService } from '../engine/engine-service.ts'
import { CONTENT_LABEL } from '../images/image-content.ts'
import { stackPaths } from '../paths.ts'
import { SetupError } from '../setup-error.ts'

/** Docker's own mark, and what it puts into /dev; a sandbox has a /dev of its own. */
const LEFT_OUT = ['--anchored', '--exclude=.dockerenv', '--exclude=dev/*']

interface EngineImage {
  readonly Id: string
  readonly Config?: { readonly Labels?: Readonly<Record<string, string>> | null }
}

/** An engine does not have an image. */
export class ImageAbsentError extends SetupError {
  override readonly code = 'image_absent'
}

/**
 * An image of an engine as a root: the files of a container that never starts.
 *
 * @throws {ImageAbsentError} if the engine lacks the image
 */
export async function engineRoot(
  engine: EngineService,
  reference: string,
  env: NodeJS.ProcessEnv,
): Promise<NewRoot> {
  const path = `/images/${encodeURIComponent(reference)}/json` as const
  const { status, body } = await askEngine(engine.dockerHost, `GET ${path}`, { env })
  if (status === 404)
    throw new ImageAbsentError(`the engine at ${engine.dockerHost} has no image ${reference}`)
  if (status !== 200) throw new SetupError(`the engine answered ${status} to ${path}: ${body.slice(0, 200)}`)
  const { Id: digest, Config } = JSON.parse(body) as EngineImage
  return {
    reference,
    digest,
    content: Config?.Labels?.[CONTENT_LABEL],
    unpack: (directory) => unpackImage(engine, { reference, digest, directory, env }),
  }
}

async function unpackImage(
  engine: EngineService,
  image: { reference: string; digest: string; directory: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const { reference, digest, directory, env } = image
  const what = `unpacking ${reference}`
  // By digest: the tag may mean another image by now. The label lets `isopod down` remove it, should this process be killed.
  const create = ['create', '--network', 'none', '--label', `isopod.stack=${stackPaths(env).id}`]
  const container = await docker(engine, [...create, digest, 'true'], { env, what })
  try {
    const owner = process.getuid?.() === 0 ? '--same-owner' : '--no-same-owner'
    const tar = ['--extract', '--numeric-owner', '--preserve-permissions', owner, ...LEFT_OUT]
    await pipeDocker(engine, ['export', container], ['tar', ...tar, '--directory', directory], { env, what })
  } finally {
    await tryDocker(engine, ['rm', '--force', '--volumes', container], { env })
  }
}
