import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ImageName, installPackages } from '@isopod/devstack'
import { boot } from './boot.ts'
import { cacheFolder, inScratch } from './cache.ts'
import { followConsole } from './console.ts'
import { type Leg, legsOf } from './legs.ts'
import { MACHINES, type VmArchitecture } from './machine.ts'
import { makeImages } from './make/make-images.ts'
import { makeModules } from './make/make-modules.ts'
import { makeRepo } from './make/make-repo.ts'
import { makeRoot, type Root } from './make/make-root.ts'
import type { VmOptions } from './options.ts'
import { legReporter } from './terminal.ts'
import { Totals } from './totals.ts'

/** Factor for timeouts in the guest, by its own clock. */
const TIME_FACTOR = 4
/** Images that the specs use. Those of another processor are built under emulation, so their list is short. */
const IMAGE_NAMES: Readonly<Record<VmArchitecture, readonly ImageName[]>> = {
  x64: ['python', 'c', 'javascript', 'bash', 'cpp', 'java'],
  arm64: ['c', 'bash'],
}

interface LegEnvironment {
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** Disks that all legs share. */
interface Disks {
  readonly root: Root
  readonly modules: string
  readonly images: string
}

/** Makes the missing disks, boots a machine for each leg, and counts its tests. */
export async function runLegs(options: VmOptions, environment: LegEnvironment): Promise<Totals> {
  await installPackages(MACHINES[options.architecture].needs, environment.log)
  const disks = await makeDisks(options, environment)
  const totals = new Totals()
  for (const leg of legsOf(options.architecture).filter(({ name }) => options.legs.includes(name))) {
    await runLeg(leg, disks, options, environment, totals)
  }
  return totals
}

async function runLeg(
  leg: Leg,
  { root, modules, images }: Disks,
  options: VmOptions,
  { signal, log }: LegEnvironment,
  totals: Totals,
): Promise<void> {
  const startedAt = performance.now()
  const own = new Totals()
  const terminal = legReporter(leg.name, log)
  log(`${leg.name}: booting`)
  const failure = await inScratch(async (scratch) => {
    const repo = join(scratch, 'repo.disk')
    await makeRepo(repo, scratch)
    const { specs, only } = options
    return await withConsole(leg.name, options, (console) =>
      boot({
        architecture: options.architecture,
        root,
        disks: [repo, modules, images],
        task: {
          leg: leg.name,
          timeFactor: TIME_FACTOR,
          images: IMAGE_NAMES[options.architecture],
          ...(specs === undefined ? {} : { specs }),
          ...(only === undefined ? {} : { only }),
        },
        console,
        scratch,
        deadlineMs: (options.deadline ?? leg.minutes) * 60_000,
        signal,
        onEvent(event) {
          terminal(event)
          if (event.event !== 'test') return
          own.add(event)
          totals.add(event)
        },
      }),
    ).then(
      () => undefined,
      (error: unknown) => error,
    )
  })
  signal.throwIfAborted()
  if (failure !== undefined) {
    own.add({ state: 'failed' })
    totals.add({ state: 'failed' })
    log(`${leg.name}: ${failure instanceof Error ? failure.message : String(failure)}`)
  }
  log(`${leg.name}: ${own} in ${Math.round((performance.now() - startedAt) / 1000)} s`)
}

async function makeDisks({ architecture }: VmOptions, { log }: LegEnvironment): Promise<Disks> {
  const root = await makeRoot(architecture, log)
  const modules = await makeModules(architecture, log)
  const images = await makeImages({
    architecture,
    names: IMAGE_NAMES[architecture],
    log,
  })
  return { root, modules, images }
}

async function withConsole(
  name: string,
  options: VmOptions,
  work: (path: string) => Promise<void>,
): Promise<void> {
  const folder = join(cacheFolder(), 'logs')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${options.architecture}-${name}.log`)
  const stop = options.console ? await followConsole(path) : () => {}
  try {
    await work(path)
  } finally {
    stop()
  }
}
