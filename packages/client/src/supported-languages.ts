import {
  type FieldProblem,
  findLanguage,
  InvalidJobError,
  type Job,
  type LanguageSummary,
  unsupportedLanguage,
} from '@isopod/protocol'

/** How long a catalogue is trusted, in milliseconds. */
const FRESH_MS = 30_000

/** One job and where its problems belong: empty, or `jobs[3].` */
export interface LocatedJob {
  readonly job: Job
  readonly where: string
}

/** Refuses languages that no worker offers, without asking Redis for each job. */
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
   * @throws {InvalidJobError} with the list of supported languages. Before it refuses, it asks for the newest catalogue.
   */
  async check(jobs: readonly LocatedJob[]): Promise<void> {
    const isFresh = performance.now() - this.#fetchedAt < FRESH_MS
    if (!isFresh) await this.#refetch()
    if (this.#problems(jobs).length > 0 && isFresh) await this.#refetch()
    const problems = this.#problems(jobs)
    if (problems.length > 0) throw new InvalidJobError(problems)
  }

  async #refetch(): Promise<void> {
    this.#languages = await this.#fetch()
    // That no worker has come yet is not worth remembering: one may come any moment.
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
