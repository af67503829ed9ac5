import type { LiveEvent, Verdict } from '@isopod/protocol'

/** A stream of a program. */
export type OutputStream = 'stdout' | 'stderr'

/** Where one start of a job tells what happens while it runs. Nothing here waits or throws. */
export interface LiveOutput {
  /** The program starts; what was told before is void. */
  running(): void
  /** Takes what a program has written; the bytes are copied. */
  output(stream: OutputStream, bytes: Uint8Array): void
  /** A test, counted from 0, was judged; a later call for it takes the place of this one. */
  test(index: number, name: string, verdict: Verdict): void
  /** The output limit has cut these streams, perhaps within a character, which is then not told. */
  cut(streams: Readonly<Record<OutputStream, boolean>>): void
}

/** An event that waits to be sent: output as bytes, so that what follows can still join it. */
export type PendingEvent =
  | { readonly type: OutputStream; readonly chunks: Buffer[] }
  | Exclude<LiveEvent, { type: OutputStream }>
