import { imageRemedy } from '@isopod/protocol'
import type { Images } from '../driver/driver.ts'
import { ImageFaultError } from '../driver/faults.ts'
import { type Engine, statusCode } from './engine/engine.ts'

/** How long a tag is believed to mean the same image, in milliseconds. */
const BELIEVED_MS = 60_000

/** Looks up which image a reference means on this engine; images are never pulled while a job waits. */
export class DockerImages implements Images {
  readonly #engine: Engine
  readonly #known = new Map<string, { digest: string; until: number }>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * The content digest (`sha256:…`) of an image.
   *
   * @throws {ImageFaultError} if this engine does not have it
   */
  async digest(reference: string): Promise<string> {
    const known = this.#known.get(reference)
    if (known && known.until > Date.now()) return known.digest
    const digest = await this.#lookUp(reference)
    this.#known.set(reference, { digest, until: Date.now() + BELIEVED_MS })
    return digest
  }

  /** Forgets what a reference meant, after an engine said that it is not there. */
  forget(reference: string): void {
    this.#known.delete(reference)
  }

  async #lookUp(reference: string): Promise<string> {
    try {
      const image = await this.#engine.call('image', (docker) => docker.getImage(reference).inspect())
      return image.Id
    } catch (cause) {
      if (statusCode(cause) !== 404) throw cause
      throw new ImageFaultError(`image ${reference} is not on this engine; ${imageRemedy(reference)}`, {
        cause,
      })
    }
  }
}
