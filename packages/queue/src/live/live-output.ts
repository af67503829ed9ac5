import type { LiveEvent, Verdict } from '@isopod/protocol'

/** An output stream of a program. */
export type OutputStream = 'stdout' | 'stderr'

/** Takes the live events of one start of a job. No method waits or throws. */
export interface LiveOutput {
  /** The program starts; earlier events are void. */
  running(): void
  /** Takes output of the program; the bytes are copied. */
  output(stream: OutputStream, bytes: Uint8Array): void
  /** The test with this index was judged; a later call with the same index replaces the verdict. */
  test(index: number, name: string, verdict: Verdict): void
  /** The output limit has cut these streams; an incomplete character at the cut is left out. */
  cut(streams: Readonly<Record<OutputStream, boolean>>): void
}

/** An event to be sent. Output is kept as bytes, so that later output can be appended. */
export type PendingEvent =
  | { readonly type: OutputStream; readonly chunks: Buffer[] }
  | Exclude<LiveEvent, { type: OutputStream }>
