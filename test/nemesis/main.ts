import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { type RunOptions, UsageError } from '../support/run-options.ts'
import { FAULTS } from './faults/all.ts'
import { findingsOf } from './findings.ts'
import { CHAOS_HELP, CHAOS_JSON, CHAOS_PAGE, parseChaosOptions } from './options.ts'
import { chaosPage } from './report/page.ts'
import { type ChaosReport, currentCommit, isWhole, machineText, withLaterRun } from './report/report.ts'
import { chaosText } from './report/table.ts'
import { runFaults } from './run-faults.ts'

const EXIT = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const
const JOBS = { full: 200, quick: 40 } as const

const log = (line: string) => void process.stderr.write(`chaos: ${line}\n`)

/** Runs the command line. Resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const asked = parseChaosOptions(
    argv,
    FAULTS.map(({ name }) => name),
  )
  if (asked.kind === 'run') return await run(asked.options, interruption())
  const list = FAULTS.map(({ name, title }) => `${name.padEnd(30)}${title}\n`).join('')
  process.stdout.write(asked.kind === 'help' ? CHAOS_HELP : list)
  return EXIT.success
}

async function run(options: RunOptions, signal: AbortSignal): Promise<number> {
  const { seed, only, quick } = options
  log(`seed ${seed}`)
  const startedAt = performance.now()
  const facts = {
    commit: currentCommit(),
    machine: machineText(),
    date: new Date().toISOString().slice(0, 10),
  }
  const faults = FAULTS.filter(({ name }) => only?.includes(name) ?? true)
  const jobs = quick ? JOBS.quick : JOBS.full
  const found = await runFaults(faults, { seed, jobs, signal, log })
  const seconds = (performance.now() - startedAt) / 1000
  const report = { ...facts, ...found, seed, jobsPerFault: jobs, allFaults: FAULTS.length, seconds }
  await publish(report, options)
  if (signal.aborted) return EXIT.interrupted
  const { outcomes, notMade } = report
  return notMade.length === 0 && outcomes.every((outcome) => findingsOf(outcome).length === 0)
    ? EXIT.success
    : EXIT.failure
}

async function publish(report: ChaosReport, { json, docs }: RunOptions): Promise<void> {
  if (json !== undefined) await writeJson(json, report)
  process.stdout.write(chaosText(report))
  if (docs === undefined) return
  const shown = docs === CHAOS_PAGE ? await wholeReport(report) : report
  if (shown === undefined) {
    log(`${docs} stays as it was: a run of all faults is needed first, and ${JOBS.full} jobs for each`)
    return
  }
  if (docs === CHAOS_PAGE) await writeJson(CHAOS_JSON, shown)
  await writeFile(docs, chaosPage(shown, JOBS.full))
  spawnSync('biome', ['format', '--write', docs], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The report, or the stored one with its outcomes; undefined if neither is of all faults. */
async function wholeReport(report: ChaosReport): Promise<ChaosReport | undefined> {
  if (isWhole(report, JOBS.full)) return report
  const stored = await readFile(CHAOS_JSON, 'utf8').catch(() => undefined)
  if (stored === undefined || report.outcomes.length === 0 || report.jobsPerFault < JOBS.full)
    return undefined
  const order = FAULTS.map(({ name }) => name)
  const merged = withLaterRun(JSON.parse(stored) as ChaosReport, report, order)
  return isWhole(merged, JOBS.full) ? merged : undefined
}

function writeJson(path: string, report: ChaosReport): Promise<void> {
  return writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`)
}

/** The first Ctrl-C ends the run after the faults that are being made, a second one at once. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    log('stopping after the faults that are being made')
    controller.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  return controller.signal
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError) log(`${error.message} (--help has more)`)
  else log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return error instanceof UsageError ? EXIT.usage : EXIT.failure
})
process.exit(code)
