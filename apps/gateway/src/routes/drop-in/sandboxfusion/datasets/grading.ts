import type { JobInput } from '@isopod/client'
import type { ExtractedCode } from '../extract-code.ts'
import type { SandboxFusionLanguage } from '../languages.ts'

/** The program and tests that judge a completion. */
export interface Grading {
  readonly language: SandboxFusionLanguage
  readonly extracted: ExtractedCode
  /** The program, or the code before its scripts. */
  readonly code: string
  /** Without tests the program passes with exit code 0. */
  readonly tests?: NonNullable<JobInput['tests']>
  readonly files?: NonNullable<JobInput['files']>
  /** Code and tests as one program; null if they are not one. */
  readonly fullCode: string | null
  readonly stopOnFirstFailure?: boolean
}
