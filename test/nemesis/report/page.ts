import { findingsOf, MAX_RECOVERY_SECONDS } from '../findings.ts'
import { type ChaosReport, isWhole } from './report.ts'
import { chaosTable, minutes } from './table.ts'

/** The whole page about a run. @param fullJobs jobs per fault of a whole run */
export function chaosPage(report: ChaosReport, fullJobs: number): string {
  return `# Chaos

\`npm run chaos\` breaks one thing at a time while jobs run, mends it, and checks what is left. It starts a Redis, workers and, for
faults that need containers, a Docker engine of its own, and signals only processes that it started. The command writes this page.

- **Jobs.** Simple programs with a known end: success, an exit code, a timeout, too much output, too much memory. Each has an
  idempotency key, and its producer submits it until it is accepted. Results go to a results queue. Jobs are submitted until the
  fault is mended, at least ${fullJobs} of them, and five more afterwards.
- **lost**: accepted without a result, or never accepted.
- **doubled**: two results that differ, two ids for one idempotency key, or a result without a job. The same result may be
  delivered again.
- **wrong verdict**: a result that does not say how the program ended, \`setup_error\` included.
- **left behind**: processes that still run, temporary files, and what the next worker does not clear away: keys without an expiry
  that belong to no queue, and containers.
- **recovery**: from the end of the fault until the next result, at most ${MAX_RECOVERY_SECONDS} s. **last result**: until the last one.

Where Redis loses its data (\`FLUSHALL\`), jobs in it are gone; then only those after the fault count as lost.

\`npm run chaos -- --list\` names the faults, \`--only\` makes some (with \`--docs\` they replace their rows here), \`--seed\` repeats a run, \`--quick\` takes 40 jobs instead of ${fullJobs}.
A short run is part of \`npm test\`.

${summary(report, fullJobs)}

${chaosTable(report)}
`
}

function summary(report: ChaosReport, fullJobs: number): string {
  const { outcomes, allFaults, jobsPerFault, seed, commit, date, machine, seconds, later = [] } = report
  const extent = isWhole(report, fullJobs)
    ? `All ${allFaults} faults${later.length === 0 ? ' in one run' : ''}`
    : `**Not a whole run**: ${outcomes.length} of ${allFaults} faults`
  const jobs = outcomes.reduce((sum, outcome) => sum + outcome.jobs, 0)
  const findings = outcomes.flatMap(findingsOf).length
  return [
    `${extent}, at least ${jobsPerFault} jobs each, ${jobs} together, in ${minutes(seconds)}: ${findings} findings.`,
    `Seed ${seed}, commit ${commit}, ${date}, ${machine}.`,
    ...later.map((run) => {
      const names = run.faults.map((fault) => `\`${fault}\``).join(', ')
      return `Made again later, in a run of their own: ${names} (seed ${run.seed}, commit ${run.commit}, ${run.date}).`
    }),
  ].join('\n')
}
