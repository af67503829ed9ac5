import type { JobFile, Language, Limits } from '@isopod/protocol'
import type { PipeEnd } from './pipe.ts'

/** One program on its way through a sandbox: all that is needed to run it, all of it validated. */
export interface Execution {
  /** The job's id; names and labels of the container carry it. */
  readonly id: string
  /** Which start of the job this is, from 1. */
  readonly attempt: number
  readonly language: Language
  readonly code: string
  readonly limits: Limits
  /** OCI runtime. @default the sandbox's own */
  readonly runtime?: string | undefined
  /** Relative path in the workspace → content. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
  readonly stdin?: string | undefined
  /** Arguments behind the language's command. @default none */
  readonly args?: readonly string[] | undefined
  /** Variables of the program's environment beside the platform's; the compile run has none of them. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Arguments of the compile run, in place of its `{args}`. @default none */
  readonly compileArgs?: readonly string[] | undefined
  /** JSON value; null is a value, undefined means that there is none. */
  readonly inputData?: unknown
  /** Have the interpreter started and its libraries imported beforehand, where the language can; else without. @default false */
  readonly preload?: boolean | undefined
  /** Executions with the same text may follow each other in one container, reset in between. @default none other may */
  readonly sharedBy?: string | undefined
  /**
   * Starts of the program, one after the other, each with the workspace as it was before the first one: compiled once, in one
   * container as long as it can be proven clean in between. @default one, with the execution's own stdin, arguments and limits
   */
  readonly runs?: readonly RunInput[] | undefined
  /** Programs of the platform's own, laid in the workspace to be executed: name → bytes. Never anything of a job. */
  readonly tools?: Readonly<Record<string, Uint8Array>> | undefined
  /**
   * Name of the file in the workspace that the program leaves to say that it came to its end; looked for if it ended
   * with exit code 0.
   */
  readonly report?: string | undefined
  /** Files in the workspace that the outcome is to have, of a program that came to its own end; not with `runs`. @default none */
  readonly fetchFiles?: readonly string[] | undefined
}

/** One start of a program that is started more than once. */
export interface RunInput {
  /** Those of its container can differ from the execution's as far as a container's can be changed: not in files. */
  readonly limits: Limits
  readonly stdin?: string | undefined
  /** Its stdin and stdout, in place of `stdin`: the run starts once both ends are there. */
  readonly pipe?: PipeEnd | undefined
  /** Arguments behind the language's command. */
  readonly args?: readonly string[] | undefined
  /** Laid beside the execution's own files. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
}
