import { Help } from 'commander'
import type { Io } from '../io.ts'
import { paintOn } from '../terminal/paint.ts'

/** What one check of `isopod doctor` found. */
export interface Finding {
  /** `warning`: works, but should be fixed. `absent`: not running, and started when it is needed. */
  readonly state: 'ok' | 'warning' | 'absent' | 'failed'
  /** What is checked, in one word. */
  readonly subject: string
  /** What was found and, if it is not ok, what to do about it. */
  readonly text: string
}

const MARKS = { ok: '✓', warning: '!', absent: '–', failed: '✗' } as const
const COLORS = { ok: 'green', warning: 'yellow', absent: 'gray', failed: 'red' } as const
const INDENT = 11

/** The finding as text: mark, subject and sentence, wrapped to the width of a terminal. */
export function findingText(io: Io, { state, subject, text }: Finding): string {
  const { columns = 0 } = io.stdout
  const help = Object.assign(new Help(), { minWidthToWrap: INDENT })
  const wrapped = columns > 2 * INDENT ? help.boxWrap(text, columns - INDENT) : text
  const mark = paintOn(io, io.stdout, COLORS[state], MARKS[state])
  return `${mark} ${subject.padEnd(8)} ${wrapped.replaceAll('\n', `\n${' '.repeat(INDENT)}`)}\n`
}
