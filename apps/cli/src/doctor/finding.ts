/** What one check of `isopod doctor` came to. */
export interface Finding {
  /** `warning`: works, but should be mended. `absent`: not there now, and started when it is needed. */
  readonly state: 'ok' | 'warning' | 'absent' | 'failed'
  /** What is checked, in one word. */
  readonly subject: string
  /** What was found and, if it is not ok, what to do about it. */
  readonly text: string
}

const MARKS = { ok: '✓', warning: '!', absent: '–', failed: '✗' } as const

/** One line for a person. */
export function findingLine({ state, subject, text }: Finding): string {
  return `${MARKS[state]} ${subject.padEnd(8)} ${text}`
}
