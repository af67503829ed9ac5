import { TerminalError } from '@isopod/protocol'
import type { Engine } from './engine.ts'

/** What an engine says about itself. */
export interface EngineFacts {
  readonly version: string
  readonly cgroup: 1 | 2
  readonly cpus: number
  readonly memoryBytes: number
  readonly runtimes: readonly string[]
  readonly defaultRuntime: string
  /** Whether the engine can limit swap; where it cannot, `memorySwapMb` of a result is null. */
  readonly limitsSwap: boolean
  /** Version of runc, if the engine names it. */
  readonly runcVersion: string | undefined
}

/**
 * Asks the engine what it can enforce.
 *
 * @throws {TerminalError} if a controller that a limit needs is missing: without it the limit would silently not hold
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
  return {
    version: info.ServerVersion,
    cgroup: info.CgroupVersion === '2' ? 2 : 1,
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    runtimes: Object.keys(info.Runtimes ?? {}),
    defaultRuntime: info.DefaultRuntime,
    limitsSwap: info.SwapLimit === true,
    runcVersion: runc?.Version,
  }
}
