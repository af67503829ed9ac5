import type { FaultOutcome } from '../run-fault.ts'

/** What a whole run found. */
export interface ChaosReport {
  readonly seed: number
  readonly jobsPerFault: number
  /** Date of the run, `YYYY-MM-DD`. */
  readonly date: string
  readonly outcomes: readonly FaultOutcome[]
  /** Faults that could not be made, with the reason. */
  readonly notMade: readonly { readonly fault: string; readonly reason: string }[]
}

/** Number of findings of an outcome. */
export function findingsOf({ lost, doubled, wrong, left }: FaultOutcome): number {
  return lost.length + doubled.length + wrong.length + left.length
}

/** Report for a terminal: one line per fault, and below it each finding. */
export function chaosText({ outcomes, notMade, seed }: ChaosReport): string {
  const lines = outcomes.flatMap((outcome) => [
    [
      findingsOf(outcome) === 0 ? '✓' : '✗',
      outcome.fault.padEnd(30),
      `lost ${outcome.lost.length}`,
      `doubled ${outcome.doubled.length}`,
      `wrong ${outcome.wrong.length}`,
      `left ${outcome.left.length}`,
      `recovery ${secondsText(outcome.recoverySeconds)}`,
    ].join(' '),
    ...[...outcome.lost, ...outcome.doubled, ...outcome.wrong, ...outcome.left]
      .slice(0, 10)
      .map((text) => `    ${text}`),
  ])
  const failed = notMade.map(({ fault, reason }) => `✗ ${fault}  could not be made: ${reason}`)
  return `${[...lines, ...failed, `seed ${seed}`].join('\n')}\n`
}

/** The generated part of the page: a table with a row per fault. */
export function chaosMarkdown({ outcomes, notMade, seed, jobsPerFault, date }: ChaosReport): string {
  const rows = outcomes.map(({ fault, title, jobs, lost, doubled, wrong, left, recoverySeconds }) => {
    const cells = [`\`${fault}\``, title, jobs, lost.length, doubled.length, wrong.length, left.length]
    return `| ${[...cells, secondsText(recoverySeconds)].join(' | ')} |`
  })
  const missing = notMade.map(({ fault, reason }) => `- \`${fault}\` could not be made: ${reason}`)
  return [
    `${outcomes.length} faults with ${jobsPerFault} jobs each, seed ${seed}, ${date}.`,
    '',
    '| fault | what happens | jobs | lost | doubled | wrong verdict | left behind | recovery |',
    '| --- | --- | --: | --: | --: | --: | --: | --: |',
    ...rows,
    ...(missing.length > 0 ? ['', ...missing] : []),
  ].join('\n')
}

function secondsText(seconds: number | undefined): string {
  return seconds === undefined ? 'never' : `${seconds.toFixed(1)} s`
}
