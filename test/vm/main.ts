import { rm } from 'node:fs/promises'
import { cacheFolder } from './cache.ts'
import { LEFT_OUT } from './left-out.ts'
import { LEGS, legsOf } from './legs.ts'
import { HELP, parseOptions, UsageError, type VmOptions } from './options.ts'
import { runLegs } from './run-legs.ts'

const EXIT = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const

const log = (line: string) => void process.stderr.write(`vm: ${line}\n`)

/** Runs the command line. Resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const asked = parseOptions(argv, (architecture) => legsOf(architecture).map(({ name }) => name))
  if (asked.kind === 'run') return await interruptible((signal) => run(asked.options, signal))
  process.stdout.write(asked.kind === 'help' ? HELP : list())
  return EXIT.success
}

async function run(options: VmOptions, signal: AbortSignal): Promise<number> {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') {
    throw new UsageError('making a disk of Debian needs root on Linux: run it as root')
  }
  if (options.fresh) await rm(cacheFolder(), { recursive: true, force: true })
  const totals = await runLegs(options, { signal, log })
  process.stdout.write(`\n${totals}\n`)
  return totals.failed > 0 ? EXIT.failure : EXIT.success
}

function list(): string {
  const legs = LEGS.map(({ name, title, architectures = ['x64'] }) => {
    return `${name.padEnd(16)}${title} (${architectures.join(', ')})\n`
  })
  const leftOut = Object.entries(LEFT_OUT).map(([path, reason]) => `  ${path}: ${reason}\n`)
  return `${legs.join('')}\nleft out:\n${leftOut.join('')}`
}

/** The first Ctrl-C ends the run cleanly, a second one at once. */
async function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    log('stopping')
    controller.abort(new Error('interrupted'))
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  return await work(controller.signal).catch((error: unknown) => {
    if (controller.signal.aborted) return EXIT.interrupted
    throw error
  })
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError) log(`${error.message} (--help has more)`)
  else log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return error instanceof UsageError ? EXIT.usage : EXIT.failure
})
process.exit(code)
