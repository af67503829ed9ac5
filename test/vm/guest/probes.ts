import { runSelfTest } from '@isopod/devstack'
import { report } from './report.ts'

interface Finding {
  readonly probe: string
  readonly tries: string
  readonly verdict: string
  readonly detail: string
  readonly ms: number
}

/** Runs a worker's self-test, and reports each probe as a test. */
export async function runProbes(dockerHost: string): Promise<void> {
  const onLine = (line: string) => {
    const finding = JSON.parse(line) as Finding | { contained: boolean }
    if (!('probe' in finding)) return
    const { probe, tries, verdict, detail, ms } = finding
    const state = verdict === 'held' ? 'passed' : verdict === 'exempt' ? 'skipped' : 'failed'
    const errors = state === 'failed' ? [`${verdict}: ${detail}`] : []
    report({ event: 'test', file: 'isopod doctor --attack', title: `${probe}: ${tries}`, state, ms, errors })
  }
  await runSelfTest({ engine: { dockerHost, ours: false }, env: process.env, onLine })
}
