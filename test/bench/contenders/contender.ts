/** A program for all contenders. */
export interface Program {
  readonly language: 'python' | 'javascript' | 'bash' | 'c'
  readonly code: string
  /** Assertions about the code: a test case of its job. Contenders without test cases run it at the end of the code. */
  readonly script?: string
  /** Bytes of output that the contender must return. @default the contender's own limit */
  readonly outputBytes?: number
}

/** Code and script as one file. */
export function wholeOf({ code, script }: Program): string {
  return script === undefined ? code : `${code}\n${script}\n`
}

/** What a contender reports about a program; most fields only for Isopod. */
export interface Run {
  readonly stdout: string
  /** Where the container came from, and whether its interpreter had started; only for Isopod. */
  readonly origin?: string | undefined
  readonly preloaded?: boolean | undefined
  /** The program's run time in its container, in milliseconds; only for Isopod. */
  readonly ownMs?: number | undefined
  /** Milliseconds until the container was ready, and from the program's first byte to its end; only for Isopod. */
  readonly steps?: { readonly acquire: number; readonly run: number } | undefined
  /** Processor time of the program, in milliseconds; only for Isopod. */
  readonly cpuMs?: number | undefined
}

/** One way to run programs. */
export interface Contender {
  readonly name: string
  /** Runs one program; rejects if it did not end with exit code 0. */
  run(program: Program): Promise<Run>
  /** Runs all programs as fast as possible, in any order. */
  runAll(programs: readonly Program[]): Promise<Run[]>
  /** Resolves when the clean-up of finished programs has ended, so that it does not distort the next measurement. */
  settle(): Promise<void>
}

/** This machine does not support a contender; the message is the reason. */
export class ContenderUnavailable extends Error {
  override readonly name = 'ContenderUnavailable'
}

/** Runs tasks in order, at most `lanes` at the same time. */
export async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await task(items[at] as T)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
