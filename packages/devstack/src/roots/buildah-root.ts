import type { NewRoot } from '@isopod/sandbox'
import type { BuildahBuilder } from '../images/buildah-builder.ts'
import { CONTENT_LABEL } from '../images/image-content.ts'
import { ImageAbsentError } from './engine-root.ts'

/**
 * An image that buildah has built as a root.
 *
 * @throws {ImageAbsentError} if it has not
 */
export async function buildahRoot(builder: BuildahBuilder, reference: string): Promise<NewRoot> {
  const image = await builder.find(reference)
  if (image === undefined) throw new ImageAbsentError(`buildah has no image ${reference}`)
  const { id: digest, labels } = image
  return {
    reference,
    digest,
    content: labels[CONTENT_LABEL],
    unpack: (directory) => unpackImage(builder, digest, directory),
  }
}

async function unpackImage(builder: BuildahBuilder, digest: string, directory: string): Promise<void> {
  const container = await builder.run(['from', '--pull=never', digest.replace('sha256:', '')])
  try {
    await builder.moveFiles(container, directory)
  } finally {
    await builder.try(['rm', container])
  }
}
