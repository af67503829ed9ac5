import { engineJson } from '../engine/engine-api.ts'

/** One built image. */
export interface BuiltImage {
  /** `sha256:…` of its configuration. */
  readonly id: string
  readonly tags: readonly string[]
  readonly labels: Readonly<Record<string, string>>
}

/** One image of an engine. */
export interface LocalImage extends BuiltImage {
  /** Size of all layers, unpacked. */
  readonly bytes: number
}

/** All images of an engine, tagged or not. */
export async function localImages(dockerHost: string): Promise<LocalImage[]> {
  const list = (await engineJson(dockerHost, '/images/json')) as {
    Id: string
    RepoTags: string[] | null
    Labels: Record<string, string> | null
    Size: number
  }[]
  return list.map((image) => ({
    id: image.Id,
    tags: image.RepoTags ?? [],
    labels: image.Labels ?? {},
    bytes: image.Size,
  }))
}

/** The image with a tag; undefined if there is none. */
export function findImage<T extends BuiltImage>(images: readonly T[], tag: string): T | undefined {
  return images.find((image) => image.tags.includes(tag))
}

/** The processor architecture of an engine, by Node's name. */
export async function engineArchitecture(dockerHost: string): Promise<string> {
  const { Arch } = (await engineJson(dockerHost, '/version')) as { Arch: string }
  return Arch === 'amd64' ? 'x64' : Arch
}
