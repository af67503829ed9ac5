import type { JobInput, LimitsRequest, Result } from '@isopod/client'
import type { ObserverName } from '../support/host/host.ts'

/** Categories of attacks by their goal; each has its folder of programs in `corpus/`. */
export const CATEGORIES = [
  'escape',
  'resources',
  'information',
  'grader-capture',
  'wire-forgery',
  'channel',
] as const

/** One of {@link CATEGORIES}. */
export type Category = (typeof CATEGORIES)[number]

/** Fields that the result must have. A list of statuses allows each of them, because some attacks can end in several ways. */
export interface Verdict {
  readonly status: Result['status'] | readonly Result['status'][]
  readonly exitCode?: number
  readonly signal?: string
  readonly limit?: Result['limit']
  /** Lines with `ESCAPED` that the program may print although it did not escape. */
  readonly says?: RegExp
  /** The whole output. */
  readonly stdout?: string
}

/** One entry of the manifest. */
export interface Entry {
  /** File of the program, in the folder of its category; its name without the ending is the attack's id. */
  readonly program: string
  /** What it tries, as the rest of "tries to …". */
  readonly tries: string
  /** A CVE, an issue of a similar product, or `own` for an idea of this project. */
  readonly source: string
  /** The expected result; one for each runtime where they differ. */
  readonly must: Verdict | { readonly runc: Verdict; readonly runsc: Verdict }
  /** The observers that would notice a success of this attack. After every attack all observers check, not only these. */
  readonly proof: readonly (ObserverName | 'containment' | 'result' | 'secrets' | 'receiver')[]
  readonly limits?: LimitsRequest
  readonly files?: JobInput['files']
  /** Set for a channel that works: why it cannot be closed. */
  readonly known?: string
}

/** One attack: a manifest entry with its category and language. */
export interface Attack extends Entry {
  readonly id: string
  readonly category: Category
  readonly language: string
}
