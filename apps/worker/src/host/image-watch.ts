import type { Catalogue } from '@isopod/languages'
import type { LanguageSummary } from '@isopod/protocol'

const INTERVAL_MS = 30_000

/** What is watched, and who is told. */
export interface ImageWatchOptions {
  readonly catalogue: Pick<Catalogue, 'languages'>
  /** Those of some images that the engine lacks. */
  readonly missing: (references: readonly string[]) => Promise<readonly string[]>
  /** False: the engine cannot be asked now. */
  readonly askable: () => boolean
  /** Tells producers what this worker offers; called at the start and after each change. */
  readonly register: (languages: readonly LanguageSummary[]) => Promise<void>
}

/** Asks the engine every 30 s which images of the catalogue it lacks: they are built and removed while workers run. */
export class ImageWatch {
  readonly #options: ImageWatchOptions
  #missing: readonly string[] = []
  #told: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: ImageWatchOptions) {
    this.#options = options
  }

  /** The images that were not there when it last looked. */
  get missing(): readonly string[] {
    return this.#missing
  }

  /** Looks, tells, and goes on looking. Rejects if producers cannot be told for the first time. */
  async start(): Promise<void> {
    await this.check()
    this.#timer = setInterval(() => {
      // Next time, then.
      this.check().catch(() => {})
    }, INTERVAL_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Looks now. */
  async check(): Promise<void> {
    const { catalogue, missing, askable, register } = this.#options
    const images = [...new Set(catalogue.languages.map(({ image }) => image))]
    const found = askable() ? await missing(images) : this.#missing
    // An engine that went away meanwhile lacks everything.
    if (askable()) this.#missing = found
    const now = this.#missing.join()
    if (now === this.#told) return
    const absent = new Set(this.#missing)
    await register(
      catalogue.languages.map(({ name, version, aliases, image }) => ({
        ...{ name, version, aliases },
        ...(absent.has(image) && { missingImage: image }),
      })),
    )
    this.#told = now
  }
}
