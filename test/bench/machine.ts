import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineJson, IMAGES } from '@isopod/devstack'
import { runOnce } from './contenders/docker-loop.ts'
import type { Engine } from './engine.ts'
import { machineTime } from './measure/processor.ts'

/** The machine of a run, without names that identify it. */
export interface Surroundings {
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memoryGb: number
    readonly kernel: string
    readonly cgroup: string
    readonly storage: string
  }
  /** Name of a program → version. */
  readonly versions: Readonly<Record<string, string>>
  /** Load averages over 1, 5 and 15 minutes before the run. */
  readonly loadAverage: readonly number[]
  /** Cores in use by other processes, measured for two seconds before the run. */
  readonly othersUseCores: number
}

/** Minimum number of cores in use by others that makes a run unreliable. */
export const TOO_BUSY_CORES = 0.1

const MEASURE_MS = 2000

/** Reads the machine's properties and load before a run. */
export async function surroundings(engine: Engine): Promise<Surroundings> {
  const loadAverage = loadavg().map((load) => Math.round(load * 100) / 100)
  const othersUseCores = await coresInUse()
  const info = (await engineJson(engine.dockerHost, '/info')) as { CgroupVersion?: string; Driver: string }
  return {
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      memoryGb: Math.round(totalmem() / 1e8) / 10,
      kernel: release(),
      cgroup: `v${info.CgroupVersion ?? '1'}`,
      storage: info.Driver,
    },
    versions: await versions(engine),
    loadAverage,
    othersUseCores,
  }
}

async function coresInUse(): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN
  const before = machineTime()
  await sleep(MEASURE_MS)
  const after = machineTime()
  const share = (after.busy - before.busy) / Math.max(after.all - before.all, 0.01)
  return Math.round(share * cpus().length * 100) / 100
}

async function versions(engine: Engine): Promise<Record<string, string>> {
  const version = (await engineJson(engine.dockerHost, '/version')) as {
    Components?: { Name: string; Version: string }[]
  }
  const python = ['python3', '-c', 'import platform; print(platform.python_version())']
  const components = (version.Components ?? []).map(({ Name, Version }) => [Name.toLowerCase(), Version])
  const crun = engine.runtimes.includes('crun') ? firstLine('crun', '--version') : undefined
  const versions: Record<string, string | undefined> = {
    node: process.version.slice(1),
    python: (await runOnce(engine, {}, IMAGES.python, python, '')).trim(),
    ...Object.fromEntries(components),
    crun: crun?.replace(/^crun version /, ''),
    redis: /v=(\S+)/.exec(firstLine('redis-server', '--version') ?? '')?.[1],
  }
  const known = Object.entries(versions).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(known)
}

function firstLine(program: string, ...words: string[]): string | undefined {
  try {
    return execFileSync(program, words, { encoding: 'utf8' }).split('\n', 1)[0]
  } catch {
    return undefined
  }
}
