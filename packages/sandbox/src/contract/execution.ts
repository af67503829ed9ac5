import type { JobFile, Language, Limits } from '@isopod/protocol'
import type { Library } from './library.ts'
import type { PipeEnd } from './pipe.ts'

/** One program with everything that is needed to run it, validated. */
export interface Execution {
  /** The job's id; names and labels of the container carry it. */
  readonly id: string
  /** Number of this start of the job, from 1. */
  readonly attempt: number
  readonly language: Language
  readonly code: string
  readonly limits: Limits
  /** OCI runtime. @default the sandbox's own */
  readonly runtime?: string | undefined
  /** Relative path in the workspace → content. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
  readonly stdin?: string | undefined
  /** Arguments after the language's command. @default none */
  readonly args?: readonly string[] | undefined
  /** Further environment variables of the program, not of the compile run. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Arguments of the compile run, in place of its `{args}`. @default none */
  readonly compileArgs?: readonly string[] | undefined
  /** JSON value; null is a value, undefined means that there is none. */
  readonly inputData?: unknown
  /** Whether to start the interpreter and import its libraries ahead, if the language supports it. @default false */
  readonly preload?: boolean | undefined
  /** What an interpreter loads when it starts ahead, for a main file that asks for it. @default nothing */
  readonly library?: Library | undefined
  /** Makes the main file for an interpreter that has not loaded the library. @default code */
  readonly codeWithLibrary?: (() => string) | undefined
  /**
   * Its stdin and stdout, in place of `stdin`: joined to another execution, bounded by `MAX_CHANNEL_BYTES`, and not collected. Not
   * with `runs`. The program starts once both ends are ready. @default none
   */
  readonly channel?: PipeEnd | undefined
  /** Executions with the same text may use one container, one after the other, with a reset in between. @default not shared */
  readonly sharedBy?: string | undefined
  /**
   * Starts of the program, one after the other: compiled once, each with the workspace as it was before the first, in one
   * container while it can be proven clean. @default one, with the execution's own stdin, arguments and limits
   */
  readonly runs?: readonly RunInput[] | undefined
  /** Executables of the platform, laid out in the workspace: name → bytes. Never part of a job. */
  readonly tools?: Readonly<Record<string, Uint8Array>> | undefined
  /**
   * Name of a file in the workspace in which the program reports that it completed; fetched if it ended with exit code 0.
   */
  readonly report?: string | undefined
  /** Files in the workspace to fetch if the program ended by itself; not with `runs`. @default none */
  readonly fetchFiles?: readonly string[] | undefined
}

/** One start of a program that is started more than once. */
export interface RunInput {
  /** May differ from the execution's in those of a run and of a container; see `LimitScope`. */
  readonly limits: Limits
  readonly stdin?: string | undefined
  /** Its stdin and stdout, in place of `stdin`: the run starts once both ends of the pipe are ready. */
  readonly pipe?: PipeEnd | undefined
  /** Arguments after the language's command. */
  readonly args?: readonly string[] | undefined
  /** Further files in the workspace. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
}
