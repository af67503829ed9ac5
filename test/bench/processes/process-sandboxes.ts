// `process-sandboxes.ts ROOTS SANDBOXES LANES`: runs hello in Python in that many fresh process sandboxes, a few at a time, without a
// queue. Prints one JSON object: what a sandbox costs beside its program, and what is left on the host afterwards.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { DEFAULT_LIMITS } from '@isopod/protocol'
import { ContainerSandbox, openProcessDriver } from '@isopod/sandbox'
import { shippedCatalogue } from '../../support/shipped-catalogue.ts'
import { inLanes } from '../contenders/contender.ts'
import { machineTime, residentMb } from '../measure/processor.ts'

/** Readings of the memory. */
const READINGS = 100
/** A file system in memory, as /run is on most hosts. */
const IN_MEMORY = '/dev/shm'
/** Users that no other program of a host has. */
const USERS = { first: 2_000_000, last: 2_000_255, gid: 2_000_000 }

/** What this process prints. */
export interface ProcessSandboxes {
  readonly rate: number
  /** Processor milliseconds of one program. */
  readonly ownCpuMs: number
  /** Processor milliseconds of one sandbox, beside those of its program. */
  readonly otherCpuMs: number
  readonly left: Readonly<Record<'processes' | 'mounts' | 'cgroups' | 'files', number>>
  /** Readings of this process's resident memory, in MB. */
  readonly memoryMb: readonly number[]
}

const [roots = '', sandboxesText, lanesText] = process.argv.slice(2)
const sandboxes = Number(sandboxesText)
const state = await mkdtemp(`${IN_MEMORY}/isopod-bench-`)
const cgroupsBefore = new Set(cgroups())
const mountsBefore = mounts()
const measured = await runAll()
const left = {
  processes: processes(),
  mounts: mounts() - mountsBefore,
  cgroups: cgroups().filter((path) => !cgroupsBefore.has(path)).length,
  files: readdirSync(`${state}/records`).length,
}
await rm(state, { recursive: true })
process.stdout.write(JSON.stringify({ ...measured, left } satisfies ProcessSandboxes))

async function runAll(): Promise<Omit<ProcessSandboxes, 'left'>> {
  const language = (await shippedCatalogue()).find('python')
  if (language === undefined) throw new Error('the catalogue has no Python')
  const driver = await openProcessDriver({ roots, state, deployment: 'bench', owner: 'bench', users: USERS })
  const sandbox = new ContainerSandbox(driver, { deployment: 'bench' })
  let programMs = 0
  let done = 0
  const memory: number[] = []
  const run = async (number: number) => {
    const limits = { ...DEFAULT_LIMITS, cpus: 1 }
    const outcome = await sandbox.run({
      id: `bench-${number}`,
      attempt: 1,
      language,
      code: 'print("hello")\n',
      limits,
    })
    if (outcome.status !== 'success') throw new Error(`a program ended with ${outcome.status}`)
    programMs += (outcome.cpuUserMs ?? 0) + (outcome.cpuSysMs ?? 0)
    done += 1
    if (done % Math.ceil(sandboxes / READINGS) === 0) memory.push(residentMb(process.pid))
  }
  try {
    // Not counted: the first sandboxes start the spawner and compile this program.
    await inLanes(
      Array.from({ length: 20 }, (_, number) => number),
      Number(lanesText),
      run,
    )
    programMs = 0
    const [startedAt, busyBefore] = [performance.now(), machineTime().busy]
    await inLanes(
      Array.from({ length: sandboxes }, (_, number) => number),
      Number(lanesText),
      run,
    )
    const seconds = (performance.now() - startedAt) / 1000
    const busyMs = (machineTime().busy - busyBefore) * 1000
    return {
      rate: sandboxes / seconds,
      ownCpuMs: programMs / sandboxes,
      otherCpuMs: (busyMs - programMs) / sandboxes,
      memoryMb: memory,
    }
  } finally {
    await sandbox.close()
    await driver.close()
  }
}

/** Number of processes of the sandboxes' users, and of children of this process. */
function processes(): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    const [, parent, user] = /^PPid:\s+(\d+)$.*^Uid:\s+(\d+)/ms.exec(statusOf(name)) ?? []
    return Number(parent) === process.pid || (Number(user) >= USERS.first && Number(user) <= USERS.last)
  }).length
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

function mounts(): number {
  return readFileSync('/proc/self/mountinfo', 'utf8').split('\n').length
}

/** Cgroups of process drivers. Others come and go, which this search survives. */
function cgroups(): string[] {
  return ['isopod-*', 'isopod-*/*/'].flatMap((pattern) => globSync(`/sys/fs/cgroup/**/${pattern}`))
}
