import type { JobInput, LimitsRequest, Result } from '@isopod/client'
import type { ObserverName } from '../support/host/host.ts'

/** What an attack is after; each has its folder of programs. */
export const CATEGORIES = [
  'escape',
  'resources',
  'information',
  'grader-capture',
  'wire-forgery',
  'channel',
] as const

/** What an attack is after. */
export type Category = (typeof CATEGORIES)[number]

/** Fields of the result as they must be. A list is a choice: where the kernel may end a race either way. */
export interface Verdict {
  readonly status: Result['status'] | readonly Result['status'][]
  readonly exitCode?: number
  readonly signal?: string
  readonly limit?: Result['limit']
  /** What the program reports although it is not true. */
  readonly says?: RegExp
  /** Exactly what was printed. */
  readonly stdout?: string
}

/** One line of the manifest. */
export interface Entry {
  /** File of the program, in the folder of its category; its name without the ending is the attack's id. */
  readonly program: string
  /** What it tries, as the rest of «tries to …». */
  readonly tries: string
  /** A CVE, an issue of a peer, or `own`. */
  readonly source: string
  /** What the result must say; one for each runtime where they differ. */
  readonly must: Verdict | { readonly runc: Verdict; readonly runsc: Verdict }
  /** The observers that would notice success. All of them check after every attack. */
  readonly proof: readonly (ObserverName | 'containment' | 'result' | 'secrets' | 'receiver')[]
  readonly limits?: LimitsRequest
  readonly files?: JobInput['files']
  /** A channel that is open, with the reason why it is. */
  readonly known?: string
}

/** One attack: a manifest entry with its category and language. */
export interface Attack extends Entry {
  readonly id: string
  readonly category: Category
  readonly language: string
}
