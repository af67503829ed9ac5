import { findingsOf } from '../findings.ts'
import type { ChaosReport } from './report.ts'

/** Maximum number of findings of one fault in the report for a terminal. */
const MAX_SHOWN = 10

/** Report for a terminal: one line per fault, and below it each finding. */
export function chaosText({ outcomes, notMade, allFaults, seed, seconds }: ChaosReport): string {
  const lines = outcomes.flatMap((outcome) => [
    [
      findingsOf(outcome).length === 0 ? '✓' : '✗',
      outcome.fault.padEnd(30),
      `lost ${outcome.lost.length}`,
      `doubled ${outcome.doubled.length}`,
      `wrong ${outcome.wrong.length}`,
      `left ${outcome.left.length}`,
      `recovery ${secondsText(outcome.recoverySeconds)}`,
    ].join(' '),
    ...findingsOf(outcome)
      .slice(0, MAX_SHOWN)
      .map((text) => `    ${text}`),
  ])
  const failed = notMade.map(({ fault, reason }) => `✗ ${fault}  could not be made: ${reason}`)
  const made = `${outcomes.length} of ${allFaults} faults, seed ${seed}, ${minutes(seconds)}`
  return `${[...lines, ...failed, made].join('\n')}\n`
}

/** A table with a row per fault, and the faults that could not be made. */
export function chaosTable({ outcomes, notMade }: ChaosReport): string {
  const rows = outcomes.map((outcome) => {
    const { fault, title, jobs, lost, doubled, wrong, left } = outcome
    const cells = [`\`${fault}\``, title, jobs, lost.length, doubled.length, wrong.length, left.length]
    const times = [outcome.recoverySeconds, outcome.lastResultSeconds].map(secondsText)
    return `| ${[...cells, ...times].join(' | ')} |`
  })
  const missing = notMade.map(({ fault, reason }) => `- \`${fault}\` could not be made: ${reason}`)
  return [
    '| fault | what happens | jobs | lost | doubled | wrong verdict | left behind | recovery | last result |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: |',
    ...rows,
    ...(missing.length > 0 ? ['', ...missing] : []),
  ].join('\n')
}

/** A duration in words. */
export function minutes(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
}

function secondsText(seconds: number | undefined): string {
  return seconds === undefined ? 'never' : `${seconds.toFixed(1)} s`
}
