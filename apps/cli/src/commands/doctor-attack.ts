import { checkEngine, runSelfTest } from '@isopod/devstack'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { engineOf } from '../engine-of.ts'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { firstLine } from '../terminal/printable.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { tableText, widthOf } from '../terminal/table.ts'

/** One line of the worker's self-test. */
interface AttackFinding {
  readonly probe: string
  readonly runtime: string
  readonly tries: string
  readonly verdict: 'held' | 'succeeded' | 'untried' | 'exempt'
  readonly detail: string
  readonly ms: number
}

const VERDICT_TEXTS = {
  held: 'contained',
  succeeded: 'SUCCEEDED',
  untried: 'not tried',
  exempt: 'not applicable',
} as const
const MAX_DETAIL = 60

/**
 * `isopod doctor --attack`: attacks containers of the driver that jobs would run with, as each worker does at its start, and
 * shows how each attack ended. Exit code 1 if one succeeded, 3 if one could not be tried.
 */
export async function doctorAttackCommand(
  io: Io,
  services: Services,
  options: { readonly json?: boolean },
): Promise<ExitCode> {
  const engine = await engineOf(io, services)
  const problem = engine && (await checkEngine(engine.dockerHost, io.env))
  if (problem !== undefined) {
    note(io, `isopod: the engine at ${engine?.dockerHost} ${problem}; start it, or set DOCKER_HOST`)
    return EXIT.platform
  }
  const findings: AttackFinding[] = []
  let took = 0
  const onLine = (json: string) => {
    const line = JSON.parse(json) as AttackFinding | { readonly contained: boolean; readonly ms: number }
    if ('contained' in line) took = line.ms
    else {
      findings.push(line)
      if (!options.json)
        note(io, `${line.verdict === 'held' ? '✓' : line.verdict === 'exempt' ? '–' : '✗'} ${line.probe}`)
    }
    if (options.json) io.stdout.write(jsonLine(line))
  }
  const place = engine === undefined ? 'with the process driver' : `on the engine at ${engine.dockerHost}`
  if (!options.json) note(io, `isopod: attacking containers of its own ${place}`)
  await runSelfTest({ engine, env: io.env, onLine })
  if (!options.json) await write(io.stdout, attackTable(findings, took, widthOf(io.stdout)))
  if (findings.some(({ verdict }) => verdict === 'succeeded')) return EXIT.failure
  return findings.some(({ verdict }) => verdict === 'untried') ? EXIT.platform : EXIT.success
}

/** The table of all attacks, no wider than `width`, and one sentence about them. */
export function attackTable(findings: readonly AttackFinding[], ms: number, width: number): string {
  const several = new Set(findings.map(({ runtime }) => runtime)).size > 1
  const rows = findings.map(({ probe, runtime, verdict, detail, ms: one }) => [
    several ? `${probe} (${runtime})` : probe,
    VERDICT_TEXTS[verdict],
    String(one),
    firstLine(detail, MAX_DETAIL),
  ])
  const columns = [
    { head: 'probe', flexible: true },
    { head: 'verdict' },
    { head: 'ms', align: 'right' },
    { head: 'detail', flexible: true },
  ] as const
  const held = findings.filter(({ verdict }) => verdict === 'held').length
  const sum = `${held} of ${findings.length} attacks were contained, in ${(ms / 1000).toFixed(1)} s\n`
  return `${tableText(columns, rows, width)}\n${sum}`
}
