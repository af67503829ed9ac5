import type { CommandOutcome } from '../run-command.ts'
import type { BuiltImage } from './image-list.ts'

/** The base of an image. */
export interface Base {
  readonly tag: string
  readonly id: string
}

/** What builds and keeps images: an engine, or buildah. */
export interface ImageBuilder {
  /** The image with a tag; undefined if there is none. */
  find(tag: string): Promise<BuiltImage | undefined>
  /** The bare Debian, if it is there. */
  localBase(): Promise<Base | undefined>
  /** Provides the bare Debian. @throws {SetupError} if it cannot be had */
  base(): Promise<Base>
  /**
   * Builds an image from a Dockerfile.
   *
   * @param words further options of `docker build`, which buildah takes, too
   * @param dockerfile its text, unless `words` name it
   */
  build(words: readonly string[], dockerfile?: string): Promise<CommandOutcome>
  /** How a Dockerfile names an image that this builder has. */
  reference(tag: string): string
  /** Removes an image, by tag or id. One that is absent or used is not an error. */
  remove(image: string): Promise<void>
  /** The processor of its images, by Node's name. */
  architecture(): Promise<string>
}
