import { writeFile } from 'node:fs/promises'
import { type RunOptions, UsageError } from '../support/run-options.ts'
import { openBench } from './bench.ts'
import { CASES } from './cases/all.ts'
import { openContenders } from './contenders/all.ts'
import { surroundings, TOO_BUSY_CORES } from './machine.ts'
import { Book } from './measure/book.ts'
import { HELP, parseOptions } from './options.ts'
import { makeReport, type Report } from './report/report.ts'
import { terminalText } from './report/terminal.ts'
import { writeDocs } from './report/write-docs.ts'
import { openStage } from './stage.ts'

const EXIT = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const

const log = (line: string) => void process.stderr.write(`bench: ${line}\n`)

/** Runs the command line. Resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const asked = parseOptions(
    argv,
    CASES.map(({ name }) => name),
  )
  if (asked.kind === 'run') return await interruptible((signal) => measure(asked.options, signal))
  const list = CASES.map(({ name, title }) => `${name.padEnd(28)}${title}\n`).join('')
  process.stdout.write(asked.kind === 'help' ? HELP : list)
  return EXIT.success
}

async function measure(options: RunOptions, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now()
  const cases = CASES.filter(({ name }) => options.only?.includes(name) ?? true)
  const done: string[] = []
  log(`seed ${options.seed}`)
  const stage = await openStage(signal, log)
  try {
    const place = await surroundings(stage.engine)
    const book = new Book()
    if (place.othersUseCores > TOO_BUSY_CORES) {
      const sentence = `Others used ${place.othersUseCores} cores just before the run: do not trust its times.`
      book.note(sentence)
      log(`warning: ${sentence}`)
    }
    const contenders = await openContenders(stage, book, options.quick)
    const bench = openBench(options, { stage, contenders, book, log, signal })
    for (const one of cases) {
      signal.throwIfAborted()
      const caseStartedAt = performance.now()
      await one.run(bench)
      log(`${one.name}: done in ${((performance.now() - caseStartedAt) / 1000).toFixed(1)} s`)
      done.push(one.name)
    }
    const report = makeReport({
      options,
      place,
      bench,
      cases,
      seconds: (performance.now() - startedAt) / 1000,
    })
    await publish(report, options)
    return book.missing.some(({ kind }) => kind === 'failed') ? EXIT.failure : EXIT.success
  } catch (error) {
    if (!signal.aborted) throw error
    log(`interrupted; finished: ${done.join(', ') || 'nothing'}`)
    return EXIT.interrupted
  } finally {
    await stage.close()
  }
}

async function publish(report: Report, options: RunOptions): Promise<void> {
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify(report.rows, undefined, 2)}\n`)
  if (options.docs !== undefined) await writeDocs(report, options.docs)
  process.stdout.write(terminalText(report))
}

/** The first Ctrl-C ends the run cleanly, a second one at once. */
async function interruptible(run: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    log('stopping')
    controller.abort(new Error('interrupted'))
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  return await run(controller.signal)
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError) log(`${error.message} (--help has more)`)
  else log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return error instanceof UsageError ? EXIT.usage : EXIT.failure
})
process.exit(code)
