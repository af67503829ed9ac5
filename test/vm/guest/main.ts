// Runs in the virtual machine, started by systemd once the disks are mounted.
import { readFileSync } from 'node:fs'
import { ensureStack, type ImageName, tryCommand } from '@isopod/devstack'
import { LEGS, type Leg, LOADED_IMAGES, loadsImages, ROOTS } from '../legs.ts'
import { type GuestTask, readTask } from '../protocol.ts'
import { startEngine } from './engines.ts'
import { facts } from './facts.ts'
import { loadImages } from './load.ts'
import { runProbes, runProbesAsUser } from './probes.ts'
import { report, say } from './report.ts'
import { runSpecs } from './run-specs.ts'

const BUSY_REPORT_MS = 60_000

async function main(task: GuestTask): Promise<void> {
  const leg = LEGS.find(({ name }) => name === task.leg)
  if (leg === undefined) throw new Error(`there is no leg ${task.leg}`)
  const dockerHost = await startEngine(leg.engine)
  report({ event: 'up', facts: await facts(dockerHost) })
  if (loadsImages(leg.engine)) await loadImages(dockerHost)
  const images = imagesOf(leg, task)
  if (leg.probes === 'root' && task.specs === undefined) {
    // On another processor than the host's, this compiles init in a container.
    await ensureStack({ workers: 0, images, log: say, env: { ...process.env, DOCKER_HOST: dockerHost } })
    await runProbes(dockerHost)
  }
  if (leg.probes === 'user' && task.specs === undefined) await runProbesAsUser(dockerHost)
  const specs = task.specs ?? leg.specs
  const only = task.only ?? (task.specs === undefined ? leg.only : undefined)
  if (specs.length === 0) return
  const env = {
    DOCKER_HOST: dockerHost,
    TEST_IMAGES: images.join(' '),
    ...(leg.driver !== undefined && { ISOPOD_DRIVER: leg.driver, ISOPOD_ROOTS_DIR: ROOTS }),
  }
  await runSpecs(specs, { timeFactor: task.timeFactor, ...(only === undefined ? {} : { only }) }, env)
}

/** Names of the images that the specs use: all that the engine has, or the few that are loaded. */
function imagesOf({ engine }: Leg, { images }: GuestTask): readonly ImageName[] {
  return loadsImages(engine) ? images.filter((name) => LOADED_IMAGES.includes(name)) : images
}

/** Reports regularly which processes are busy, because emulated steps can take minutes. */
function reportBusyProcesses(): NodeJS.Timeout {
  const reportBusiest = async () => {
    const { stdout } = await tryCommand(['ps', '-eo', 'time,args', '--sort=-pcpu', '--no-headers'])
    const first = stdout.split('\n').find((line) => !line.includes(' ps -eo ')) ?? ''
    say(`busy with ${first.trim().slice(0, 120)}`)
  }
  return setInterval(() => void reportBusiest(), BUSY_REPORT_MS)
}

const busyReports = reportBusyProcesses()
try {
  // Debian's runc can be old.
  process.env['ISOPOD_ALLOW_OLD_RUNC'] = 'true'
  await main(readTask(readFileSync('/proc/cmdline', 'utf8')))
  report({ event: 'end' })
} catch (error) {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
  report({ event: 'end', problem })
}
clearInterval(busyReports)
