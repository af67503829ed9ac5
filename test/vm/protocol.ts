import type { ImageName } from '@isopod/devstack'

/** The guest's task, passed on the kernel's command line. */
export interface GuestTask {
  /** Name of a leg. */
  readonly leg: string
  /** Spec files to run. @default those of the leg */
  readonly specs?: readonly string[]
  /** Pattern for the names of the tests to run. @default all */
  readonly only?: string
  /** Names of the images that the engine has. */
  readonly images: readonly ImageName[]
  /** Factor for the timeouts of specs. */
  readonly timeFactor: number
}

/** An event that the guest reports, one JSON object per line. */
export type GuestEvent =
  | { readonly event: 'up'; readonly facts: Readonly<Record<string, string>> }
  | { readonly event: 'log'; readonly line: string }
  | TestEvent
  | { readonly event: 'end'; readonly problem?: string }

/** The end of one test. */
export interface TestEvent {
  readonly event: 'test'
  readonly file: string
  readonly title: string
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  readonly errors: readonly string[]
}

/** Name of the parameter on the kernel's command line. */
export const TASK_PARAMETER = 'isopod.task'

/** Encodes the task as one word of a kernel's command line. */
export function writeTask(task: GuestTask): string {
  return `${TASK_PARAMETER}=${Buffer.from(JSON.stringify(task)).toString('base64url')}`
}

/**
 * Decodes the task of a kernel's command line.
 *
 * @throws {Error} if there is none
 */
export function readTask(commandLine: string): GuestTask {
  const word = commandLine.split(/\s+/).find((each) => each.startsWith(`${TASK_PARAMETER}=`))
  if (word === undefined) throw new Error(`the kernel's command line has no ${TASK_PARAMETER}`)
  return JSON.parse(Buffer.from(word.slice(TASK_PARAMETER.length + 1), 'base64url').toString()) as GuestTask
}
