// Runs in the virtual machine, started by systemd once the disks are mounted.
import { readFileSync } from 'node:fs'
import { ensureStack, type ImageName, tryCommand } from '@isopod/devstack'
import { FEW, LEGS, type Leg, loadsImages } from '../legs.ts'
import { type GuestTask, readTask } from '../protocol.ts'
import { startEngine } from './engines.ts'
import { facts } from './facts.ts'
import { loadImages } from './load.ts'
import { runProbes } from './probes.ts'
import { report, say } from './report.ts'
import { runSpecs } from './run-specs.ts'

const WORD_EVERY_MS = 60_000

async function main(task: GuestTask): Promise<void> {
  const leg = LEGS.find(({ name }) => name === task.leg)
  if (leg === undefined) throw new Error(`there is no leg ${task.leg}`)
  const dockerHost = await startEngine(leg.engine)
  report({ event: 'up', facts: await facts(dockerHost) })
  if (loadsImages(leg.engine)) await loadImages(dockerHost)
  const images = imagesOf(leg, task)
  if (leg.probes && task.specs === undefined) {
    // Where the processor is another than the host's, init is compiled now, in a container.
    await ensureStack({ workers: 0, images, log: say, env: { ...process.env, DOCKER_HOST: dockerHost } })
    await runProbes(dockerHost)
  }
  const specs = task.specs ?? leg.specs
  const only = task.only ?? (task.specs === undefined ? leg.only : undefined)
  if (specs.length === 0) return
  const env = { DOCKER_HOST: dockerHost, TEST_IMAGES: images.join(' ') }
  await runSpecs(specs, { timeFactor: task.timeFactor, ...(only === undefined ? {} : { only }) }, env)
}

/** Engines that found no images at their start have loaded a few. */
function imagesOf({ engine }: Leg, { images }: GuestTask): readonly ImageName[] {
  return loadsImages(engine) ? images.filter((name) => FEW.includes(name)) : images
}

/** Tells now and then what keeps the machine busy: under emulation, silence may last minutes. */
function tellOfWork(): NodeJS.Timeout {
  const tell = async () => {
    const { stdout } = await tryCommand(['ps', '-eo', 'time,args', '--sort=-pcpu', '--no-headers'])
    const first = stdout.split('\n').find((line) => !line.includes(' ps -eo ')) ?? ''
    say(`busy with ${first.trim().slice(0, 120)}`)
  }
  return setInterval(() => void tell(), WORD_EVERY_MS)
}

const telling = tellOfWork()
try {
  // The engine is whatever Debian has; those that are old are said to be.
  process.env['ISOPOD_ALLOW_OLD_RUNC'] = 'true'
  await main(readTask(readFileSync('/proc/cmdline', 'utf8')))
  report({ event: 'end' })
} catch (error) {
  const trouble = error instanceof Error ? (error.stack ?? error.message) : String(error)
  report({ event: 'end', trouble })
}
clearInterval(telling)
