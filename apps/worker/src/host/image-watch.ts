import type { Catalogue } from '@isopod/languages'
import type { LanguageSummary } from '@isopod/protocol'

const INTERVAL_MS = 30_000

/** Dependencies of {@link ImageWatch}. */
export interface ImageWatchOptions {
  readonly catalogue: Pick<Catalogue, 'languages'>
  /** Which of these images the engine lacks. */
  readonly missing: (references: readonly string[]) => Promise<readonly string[]>
  /** Whether the engine answers now. */
  readonly isEngineUp: () => boolean
  /** Publishes the languages that this worker offers; called at the start and after each change. */
  readonly register: (languages: readonly LanguageSummary[]) => Promise<void>
}

/** Checks every 30 s which images of the catalogue the engine lacks, as images come and go while workers run. */
export class ImageWatch {
  readonly #options: ImageWatchOptions
  #missing: readonly string[] = []
  #published: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: ImageWatchOptions) {
    this.#options = options
  }

  /** Images that were missing at the last check. */
  get missing(): readonly string[] {
    return this.#missing
  }

  /** Checks, publishes, and repeats both. Rejects if the first publication fails. */
  async start(): Promise<void> {
    await this.check()
    this.#timer = setInterval(() => {
      // The next check repeats it.
      this.check().catch(() => {})
    }, INTERVAL_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Checks now. */
  async check(): Promise<void> {
    const { catalogue, missing, isEngineUp, register } = this.#options
    const images = [...new Set(catalogue.languages.map(({ image }) => image))]
    const found = isEngineUp() ? await missing(images) : this.#missing
    // An engine that went down during the check seems to lack every image.
    if (isEngineUp()) this.#missing = found
    const now = this.#missing.join()
    if (now === this.#published) return
    const absent = new Set(this.#missing)
    await register(
      catalogue.languages.map(({ name, version, aliases, image }) => ({
        ...{ name, version, aliases },
        ...(absent.has(image) && { missingImage: image }),
      })),
    )
    this.#published = now
  }
}
