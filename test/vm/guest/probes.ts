import { join } from 'node:path'
import { CHECKOUT, ensureRoots, IMAGES, runSelfTest, tryCommand } from '@isopod/devstack'
import { ROOTS } from '../legs.ts'
import { asUser } from './engines.ts'
import { report, say } from './report.ts'

const LAUNCHER = join(CHECKOUT, 'apps/worker/bin/isopod-worker.js')

interface Finding {
  readonly probe: string
  readonly tries: string
  readonly verdict: string
  readonly detail: string
  readonly ms: number
}

/** Runs a worker's self-test, and reports each probe as a test. */
export async function runProbes(dockerHost: string): Promise<void> {
  await runSelfTest({ engine: { dockerHost, ours: false }, env: process.env, onLine: reportProbe })
}

/** Runs the self-test of a worker without root, whose cgroups systemd delegates, with the process driver. */
export async function runProbesAsUser(dockerHost: string): Promise<void> {
  const env = { ...process.env, ISOPOD_ROOTS_DIR: ROOTS }
  await ensureRoots({ dockerHost, ours: false }, [IMAGES.bash], { env, log: say })
  const settings = {
    ISOPOD_DRIVER: 'process',
    ISOPOD_ROOTS_DIR: ROOTS,
    ISOPOD_SANDBOX_STATE_DIR: '/tmp/isopod',
  }
  const variables = Object.entries(settings).map(([name, value]) => `--setenv=${name}=${value}`)
  const command = ['--pipe', '--wait', '--quiet', ...variables, process.execPath, LAUNCHER, 'self-test']
  const { stdout, output } = await tryCommand(await asUser(command), { deadlineMs: 3_600_000 })
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  if (lines.length === 0) throw new Error(`the self-test of a worker without root printed nothing: ${output}`)
  for (const line of lines) reportProbe(line)
}

function reportProbe(line: string): void {
  const finding = JSON.parse(line) as Finding | { contained: boolean }
  if (!('probe' in finding)) return
  const { probe, tries, verdict, detail, ms } = finding
  const state = verdict === 'held' ? 'passed' : verdict === 'exempt' ? 'skipped' : 'failed'
  const errors = state === 'failed' ? [`${verdict}: ${detail}`] : []
  report({ event: 'test', file: 'isopod doctor --attack', title: `${probe}: ${tries}`, state, ms, errors })
}
