import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { seededRandom, shuffled } from '../bench/measure/random.ts'
import { type RunOptions, UsageError } from '../support/run-options.ts'
import { EngineControl } from './arena/engine-control.ts'
import { FAULTS } from './faults/all.ts'
import { CHAOS_HELP, parseChaosOptions } from './options.ts'
import { type ChaosReport, chaosMarkdown, chaosText, findingsOf } from './report/table.ts'
import { writeChaosPage } from './report/write-page.ts'
import { type FaultOutcome, runFault } from './run-fault.ts'

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
  const faults = FAULTS.filter(({ name }) => only?.includes(name) ?? true)
  const jobs = quick ? JOBS.quick : JOBS.full
  const outcomes: FaultOutcome[] = []
  const notMade: { fault: string; reason: string }[] = []
  let opening: Promise<EngineControl> | undefined
  const engine = () => {
    opening ??= EngineControl.open(log)
    return opening
  }
  try {
    for (const [place, fault] of shuffled(faults, seededRandom(seed)).entries()) {
      if (signal.aborted) break
      try {
        // Each fault has its own numbers, so that it is the same alone as among others.
        const random = seededRandom(seed + FAULTS.indexOf(fault))
        const outcome = await runFault(fault, { jobs, random, engine })
        outcomes.push(outcome)
        log(`${place + 1} of ${faults.length}, ${fault.name}: ${findingsOf(outcome)} findings`)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        notMade.push({ fault: fault.name, reason })
        log(`${place + 1} of ${faults.length}, ${fault.name}: could not be made: ${reason}`)
        // What broke it may have broken the engine that all faults share.
        await opening?.then((shared) => shared.mend()).catch(() => {})
      }
    }
  } finally {
    await opening?.then((shared) => shared.close())
  }
  const inOrder = faults.flatMap(({ name }) => outcomes.find(({ fault }) => fault === name) ?? [])
  const date = new Date().toISOString().slice(0, 10)
  await publish({ seed, jobsPerFault: jobs, date, outcomes: inOrder, notMade }, options)
  if (signal.aborted) return EXIT.interrupted
  return notMade.length === 0 && outcomes.every((outcome) => findingsOf(outcome) === 0)
    ? EXIT.success
    : EXIT.failure
}

async function publish(report: ChaosReport, { json, docs }: RunOptions): Promise<void> {
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`)
  if (docs !== undefined) {
    await writeChaosPage(docs, chaosMarkdown(report))
    spawnSync('biome', ['format', '--write', docs], { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  process.stdout.write(chaosText(report))
}

/** The first Ctrl-C ends the run after the fault that is being made, a second one at once. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    log('stopping after this fault')
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
