import {
  type FieldProblem,
  findLanguage,
  InvalidJobError,
  type Job,
  type LanguageSummary,
  unsupportedLanguage,
} from '@isopod/protocol'

/** How long a fetched catalogue is used, in milliseconds. */
const CATALOGUE_TTL_MS = 30_000

/** A job, and the prefix of the fields in its problems: empty, or `jobs[3].` */
export interface LocatedJob {
  readonly job: Job
  readonly where: string
}

/** Refuses languages that no worker offers; caches the catalogue. */
export class SupportedLanguages {
  readonly #fetch: () => Promise<LanguageSummary[] | undefined>
  #languages: LanguageSummary[] | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY

  constructor(fetch: () => Promise<LanguageSummary[] | undefined>) {
    this.#fetch = fetch
  }

  /**
   * Checks the languages of all jobs.
   *
   * @throws {InvalidJobError} with the supported languages, as of the newest catalogue
   */
  async check(jobs: readonly LocatedJob[]): Promise<void> {
    const isFresh = performance.now() - this.#fetchedAt < CATALOGUE_TTL_MS
    if (!isFresh) await this.#refetch()
    if (this.#problems(jobs).length > 0 && isFresh) await this.#refetch()
    const problems = this.#problems(jobs)
    if (problems.length > 0) throw new InvalidJobError(problems)
  }

  async #refetch(): Promise<void> {
    this.#languages = await this.#fetch()
    // A missing catalogue is not cached: the first worker may start at any moment.
    if (this.#languages !== undefined) this.#fetchedAt = performance.now()
  }

  #problems(jobs: readonly LocatedJob[]): FieldProblem[] {
    const languages = this.#languages
    if (languages === undefined) return []
    return jobs
      .filter(({ job }) => findLanguage(languages, job.language) === undefined)
      .slice(0, 20)
      .map(({ job, where }) => ({
        field: `${where}language`,
        message: `${where}${unsupportedLanguage(languages, job.language)}`,
      }))
  }
}
