/** A program as every contender gets it. */
export interface Program {
  readonly language: 'python' | 'javascript' | 'bash' | 'c'
  readonly code: string
  /** Bytes of output that have to come back. @default what the contender keeps anyway */
  readonly outputBytes?: number
}

/** The outcome of a program. */
export interface Run {
  readonly stdout: string
  /** Where the container came from, and whether its interpreter had started; only Isopod says so. */
  readonly origin?: string | undefined
  readonly preloaded?: boolean | undefined
  /** The program's own run time in its container, in milliseconds; only Isopod says so. */
  readonly ownMs?: number | undefined
  /** How long it took to get the container ready for it, and from its first byte to its end, in milliseconds; only Isopod says so. */
  readonly steps?: { readonly acquire: number; readonly run: number } | undefined
  /** Processor time of the program itself, in milliseconds; only Isopod says so. */
  readonly cpuMs?: number | undefined
}

/** One way to run programs. */
export interface Contender {
  readonly name: string
  /** Runs one program; rejects if it did not end with exit code 0. */
  run(program: Program): Promise<Run>
  /** Runs all of them as fast as it can, in any order. */
  runAll(programs: readonly Program[]): Promise<Run[]>
  /** Resolves when its work for finished programs has ended, so that it is not measured with the next one. */
  settle(): Promise<void>
}

/** A contender that this machine cannot have, with the reason. */
export class ContenderUnavailable extends Error {
  override readonly name = 'ContenderUnavailable'
}

/** Runs tasks, `lanes` at once, in order of the list. */
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
