import type { Architecture } from '@isopod/init'
import { TerminalError } from '@isopod/protocol'
import type { Engine } from './engine.ts'

/** What an engine says about itself. */
export interface EngineFacts {
  readonly version: string
  /** Of the engine's host, which may be another than the worker's. */
  readonly architecture: Architecture
  readonly cgroup: 1 | 2
  readonly cpus: number
  readonly memoryBytes: number
  readonly runtimes: readonly string[]
  /** Name of a runtime → its program, if the engine reports it. */
  readonly runtimePrograms: Readonly<Record<string, string>>
  readonly defaultRuntime: string
  /** Whether the engine can limit swap; where it cannot, `memorySwapMb` of a result is null. */
  readonly limitsSwap: boolean
  /** Whether containers are in another user namespace than their host: the engine maps user ids, or runs without root. */
  readonly mapsUsers: boolean
  /** Whether each container has a cgroup namespace of its own. */
  readonly separatesCgroups: boolean
  /** Whether programs on the engine's host can be confined by AppArmor. */
  readonly hasAppArmor: boolean
  /** Whether the engine can limit how fast a container reads from a disk. */
  readonly limitsDiskReads: boolean
  /** Version of runc, if the engine names it. */
  readonly runcVersion: string | undefined
}

/** Warnings, on cgroup v1 and v2, of an engine that ignores limits of disk reads; no other field of its facts says so. */
const NO_DISK_READS = /No blkio throttle\.read_bps_device support|No io\.max \(rbps\) support/

/**
 * Asks the engine what it can enforce.
 *
 * @throws {TerminalError} if a controller that a limit needs is missing: the limit would silently not hold
 */
export async function engineFacts(engine: Engine): Promise<EngineFacts> {
  const [info, version] = await Promise.all([
    engine.call('info', (docker) => docker.info()),
    engine.call('info', (docker) => docker.version()),
  ])
  const controllers: [string, boolean][] = [
    ['memory', info.MemoryLimit],
    ['cpu (CFS quota)', info.CpuCfsQuota],
    ['pids', info.PidsLimit],
  ]
  const missing = controllers.filter(([, there]) => !there).map(([name]) => name)
  if (missing.length > 0) {
    throw new TerminalError(
      `the engine cannot enforce limits: no cgroup controller for ${missing.join(', ')}`,
    )
  }
  const runc: { Name: string; Version: string } | undefined = version.Components?.find(
    (component: { Name: string; Version: string }) => component.Name === 'runc',
  )
  const options: readonly string[] = info.SecurityOptions ?? []
  const hasOption = (name: string) => options.some((option) => option.split(',')[0] === `name=${name}`)
  return {
    version: info.ServerVersion,
    architecture: architecture(version.Arch),
    cgroup: info.CgroupVersion === '2' ? 2 : 1,
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    runtimes: Object.keys(info.Runtimes ?? {}),
    runtimePrograms: Object.fromEntries(
      Object.entries(info.Runtimes ?? {}).map(([name, runtime]) => [name, programOf(runtime)]),
    ),
    defaultRuntime: info.DefaultRuntime,
    limitsSwap: info.SwapLimit === true,
    mapsUsers: hasOption('userns') || hasOption('rootless'),
    separatesCgroups: hasOption('cgroupns'),
    hasAppArmor: hasOption('apparmor'),
    limitsDiskReads: !(info.Warnings ?? []).some((warning: string) => NO_DISK_READS.test(warning)),
    runcVersion: runc?.Version,
  }
}

function architecture(name: string): Architecture {
  if (name === 'amd64') return 'x64'
  if (name === 'arm64') return 'arm64'
  throw new TerminalError(`the engine runs on ${name}; init is built for amd64 and arm64`)
}

function programOf(runtime: unknown): string {
  return typeof runtime === 'object' && runtime !== null && 'path' in runtime ? String(runtime.path) : ''
}
