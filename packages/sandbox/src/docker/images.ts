import type { Images } from '../driver/driver.ts'
import { ImageMissingError } from '../driver/faults.ts'
import { type Engine, statusCode } from './engine/engine.ts'

/** How long the digest of a tag is cached, in milliseconds. */
const CACHE_MS = 60_000

/** Looks up images on one engine; it never pulls any. */
export class DockerImages implements Images {
  readonly #engine: Engine
  readonly #known = new Map<string, { digest: string; until: number }>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * The content digest (`sha256:…`) of an image.
   *
   * @throws {ImageMissingError} if this engine does not have it
   */
  async digest(reference: string): Promise<string> {
    const known = this.#known.get(reference)
    if (known && known.until > Date.now()) return known.digest
    const digest = await this.#lookUp(reference)
    this.#known.set(reference, { digest, until: Date.now() + CACHE_MS })
    return digest
  }

  /** Drops a cached digest, after the engine reported that the image is gone. */
  forget(reference: string): void {
    this.#known.delete(reference)
  }

  async #lookUp(reference: string): Promise<string> {
    try {
      const image = await this.#engine.call('image', (docker) => docker.getImage(reference).inspect())
      return image.Id
    } catch (cause) {
      if (statusCode(cause) !== 404) throw cause
      throw new ImageMissingError(reference, { cause })
    }
  }
}
