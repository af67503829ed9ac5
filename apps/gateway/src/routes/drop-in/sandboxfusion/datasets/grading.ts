import type { JobInput } from '@isopod/client'
import type { ExtractedCode } from '../extract-code.ts'
import type { SandboxFusionLanguage } from '../languages.ts'

/** What has to be run to judge a completion. */
export interface Grading {
  readonly language: SandboxFusionLanguage
  readonly extracted: ExtractedCode
  /** The program, or what its scripts follow. */
  readonly code: string
  /** Without them the program has to end with exit code 0. */
  readonly tests?: NonNullable<JobInput['tests']>
  readonly files?: NonNullable<JobInput['files']>
  /** Code and tests as one program; null where they are none. */
  readonly fullCode: string | null
  readonly stopOnFirstFailure?: boolean
}
