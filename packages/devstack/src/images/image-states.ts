import type { EngineService } from '../engine/engine-service.ts'
import { localBase } from './base-image.ts'
import { imageContent, isCurrent } from './image-content.ts'
import { findImage, localImages } from './image-list.ts'
import { IMAGE_NAMES, IMAGES, type ImageName, parentOf } from './image-names.ts'

/** The state of one language image on an engine. */
export interface ImageState {
  readonly name: ImageName
  readonly tag: string
  /** `outdated`: its recipe or its base has changed since it was built. */
  readonly state: 'ready' | 'outdated' | 'absent'
  /** Name of its base: another language image, or Debian. */
  readonly base: string
  /** Bytes of all layers; 0 if it is absent. */
  readonly bytes: number
  /** Bytes beyond those of its base; 0 if one of the two is absent. */
  readonly ownBytes: number
}

/** The states of all language images on an engine. */
export async function imageStates(engine: EngineService): Promise<ImageState[]> {
  const images = await localImages(engine.dockerHost)
  const debian = await localBase(engine)
  const states = IMAGE_NAMES.map(async (name): Promise<ImageState> => {
    const parent = parentOf(name)
    const baseImage = findImage(images, parent === undefined ? (debian?.tag ?? '') : IMAGES[parent])
    const image = findImage(images, IMAGES[name])
    const current = isCurrent(image, await imageContent(name), baseImage?.id)
    return {
      name,
      tag: IMAGES[name],
      state: current ? 'ready' : image ? 'outdated' : 'absent',
      base: parent ?? 'debian',
      bytes: image?.bytes ?? 0,
      ownBytes: image && baseImage ? image.bytes - baseImage.bytes : 0,
    }
  })
  return await Promise.all(states)
}
