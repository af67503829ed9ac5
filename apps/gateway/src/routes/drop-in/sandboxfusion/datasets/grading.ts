import type { JobInput } from '@isopod/client'
import type { ExtractedCode } from '../extract-code.ts'
import type { SandboxFusionLanguage } from '../languages.ts'

/** The program and tests that judge a completion. */
export interface Grading {
  readonly language: SandboxFusionLanguage
  readonly extracted: ExtractedCode
  /** The program; if its tests are scripts, each is appended to it. */
  readonly code: string
  /** Without tests the program passes with exit code 0. */
  readonly tests?: NonNullable<JobInput['tests']>
  readonly files?: NonNullable<JobInput['files']>
  /** Code and tests as one program; null if the tests are inputs and expected outputs. */
  readonly fullCode: string | null
  readonly stopOnFirstFailure?: boolean
}
