import { checkEngine, type EngineService, runSelfTest } from '@isopod/devstack'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import Table from 'cli-table3'
import { findEngine } from '../doctor/inspect-engine.ts'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { startStack } from '../start-stack.ts'
import { firstLine } from '../terminal/printable.ts'
import { jsonLine } from '../terminal/show-result.ts'

/** One line of the worker's self-test. */
interface Finding {
  readonly probe: string
  readonly runtime: string
  readonly tries: string
  readonly verdict: 'held' | 'succeeded' | 'untried' | 'exempt'
  readonly detail: string
  readonly ms: number
}

const SHOWN = {
  held: 'held',
  succeeded: 'SUCCEEDED',
  untried: 'not tried',
  exempt: 'no meaning here',
} as const
const WIDEST_DETAIL = 60

/**
 * `isopod doctor --attack`: attacks containers on the engine that jobs would run on, as each worker does at its start, and
 * shows what became of each attack. Exit code 1 if one succeeded, 3 if one could not be tried.
 */
export async function doctorAttackCommand(
  io: Io,
  services: Services,
  options: { readonly json?: boolean },
): Promise<ExitCode> {
  const engine = await engineOf(io, services)
  const trouble = await checkEngine(engine.dockerHost, io.env)
  if (trouble !== undefined) {
    note(io, `isopod: the engine at ${engine.dockerHost} ${trouble}; start it, or set DOCKER_HOST`)
    return EXIT.platform
  }
  const findings: Finding[] = []
  let took = 0
  const onLine = (line: string) => {
    const told = JSON.parse(line) as Finding | { readonly contained: boolean; readonly ms: number }
    if ('contained' in told) took = told.ms
    else {
      findings.push(told)
      note(io, `${told.verdict === 'held' ? '✓' : told.verdict === 'exempt' ? '–' : '✗'} ${told.probe}`)
    }
    if (options.json) io.stdout.write(jsonLine(told))
  }
  if (!options.json) note(io, `attacking containers at ${engine.dockerHost}`)
  await runSelfTest({ engine, env: io.env, onLine })
  if (!options.json) await write(io.stdout, attackTable(findings, took))
  if (findings.some(({ verdict }) => verdict === 'succeeded')) return EXIT.failure
  return findings.some(({ verdict }) => verdict === 'untried') ? EXIT.platform : EXIT.success
}

/** The engine that jobs would run on; a private one is started where there is none. */
async function engineOf(io: Io, services: Services): Promise<EngineService> {
  const stack = await services.findStack(io.env)
  if (stack !== undefined) return stack.engine
  const dockerHost = await findEngine(io.env, undefined)
  if (dockerHost !== undefined) return { dockerHost, ours: false }
  note(io, 'isopod: no engine answers, so a private stack starts; «isopod down» stops it')
  return (await startStack(io, services, 0)).engine
}

/** The table of all attacks, and one sentence about them. */
export function attackTable(findings: readonly Finding[], ms: number): string {
  const table = new Table({
    head: ['probe', 'tries', 'verdict', 'detail', 'ms'],
    colAligns: ['left', 'left', 'left', 'left', 'right'],
    style: { head: [], border: [], compact: true, 'padding-left': 1, 'padding-right': 1 },
  })
  const several = new Set(findings.map(({ runtime }) => runtime)).size > 1
  for (const { probe, runtime, tries, verdict, detail, ms: one } of findings) {
    table.push([
      several ? `${probe} (${runtime})` : probe,
      tries,
      SHOWN[verdict],
      firstLine(detail, WIDEST_DETAIL),
      String(one),
    ])
  }
  const held = findings.filter(({ verdict }) => verdict === 'held').length
  return `${table}\n${held} of ${findings.length} attacks held, in ${(ms / 1000).toFixed(1)} s\n`
}
