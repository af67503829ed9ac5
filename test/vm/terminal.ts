import type { GuestEvent } from './protocol.ts'

const MARKS = { passed: '✓', failed: '✗', skipped: '↓' } as const

/** Makes a function that prints a guest's events. */
export function legReporter(leg: string, log: (line: string) => void): (event: GuestEvent) => void {
  return (event) => {
    if (event.event === 'up') {
      for (const [name, value] of Object.entries(event.facts)) log(`${leg}: ${name} ${value}`)
    } else if (event.event === 'log') log(`${leg}: ${event.line}`)
    else if (event.event === 'test') {
      const { state, file, title, ms, errors } = event
      log(`${leg}: ${MARKS[state]} ${file} > ${title} (${(ms / 1000).toFixed(1)} s)`)
      for (const line of errors.join('\n').split('\n').filter(Boolean)) log(`${leg}:     ${line}`)
    }
  }
}
