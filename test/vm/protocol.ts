import type { ImageName } from '@isopod/devstack'

/** What the guest is asked for; it finds it in the kernel's command line. */
export interface GuestTask {
  /** Name of a leg. */
  readonly leg: string
  /** The only spec files to run; undefined for all of the leg. */
  readonly specs?: readonly string[]
  /** The only tests, by a pattern of their names. */
  readonly only?: string
  /** Names of the images that the engine has. */
  readonly images: readonly ImageName[]
  /** How much more time than usual the specs are given. */
  readonly timeFactor: number
}

/** What the guest tells, one JSON object a line. */
export type GuestEvent =
  | { readonly event: 'up'; readonly facts: Readonly<Record<string, string>> }
  | { readonly event: 'say'; readonly line: string }
  | TestEvent
  | { readonly event: 'end'; readonly trouble?: string }

/** How one test ended. */
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

/** The task as one word of a kernel's command line. */
export function writeTask(task: GuestTask): string {
  return `${TASK_PARAMETER}=${Buffer.from(JSON.stringify(task)).toString('base64url')}`
}

/**
 * Finds the task in a kernel's command line.
 *
 * @throws {Error} if there is none
 */
export function readTask(commandLine: string): GuestTask {
  const word = commandLine.split(/\s+/).find((each) => each.startsWith(`${TASK_PARAMETER}=`))
  if (word === undefined) throw new Error(`the kernel's command line has no ${TASK_PARAMETER}`)
  return JSON.parse(Buffer.from(word.slice(TASK_PARAMETER.length + 1), 'base64url').toString()) as GuestTask
}
