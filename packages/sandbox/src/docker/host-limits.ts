import { readFile } from 'node:fs/promises'
import type { HostLimits, HostMemory } from '../driver/container.ts'
import type { HostView } from '../driver/init-container.ts'
import type { Engine } from './engine/engine.ts'

const MIB = 1024 * 1024
const ROOT = '/sys/fs/cgroup'

/**
 * Reads what the init of a running container cannot see: from its cgroup if the engine is on this host, else from the
 * engine's record. User code can change neither.
 */
export async function viewFromHost(engine: Engine, id: string): Promise<HostView> {
  const { HostConfig: kept, State: state } = await engine.call('inspect', (docker, abortSignal) =>
    docker.getContainer(id).inspect({ abortSignal }),
  )
  const groups = await cgroupsOf(state.Pid, id)
  const own = groups && (await fromCgroups(groups))
  if (groups && own) return { limits: { ...own, source: 'kernel' }, memory: () => memoryOf(groups) }
  const limits = {
    cpus: (kept.NanoCpus ?? 0) / 1e9,
    memorySwapMb: (kept.MemorySwap ?? 0) / MIB,
    tasks: kept.PidsLimit ?? 0,
    source: 'engine',
  } as const
  return { limits, memory: async () => undefined }
}

/** Controller → path of a process's cgroup; the one hierarchy of v2 has the name ''. */
type Cgroups = ReadonlyMap<string, string>

/**
 * The cgroups of a container's first process. If the engine is on another host, the pid is that of an unrelated process, so only
 * a path that names the container counts.
 *
 * @param pid 0 once the container has ended
 */
async function cgroupsOf(pid: number, id: string): Promise<Cgroups | undefined> {
  const text = (await readText(`/proc/${pid}/cgroup`)) ?? ''
  const groups = new Map<string, string>()
  for (const line of text.split('\n').filter((each) => each.includes(id))) {
    const [, controllers = '', ...path] = line.split(':')
    for (const name of controllers.split(',')) groups.set(name, path.join(':'))
  }
  return groups.size > 0 ? groups : undefined
}

/** Undefined if the files cannot be read; a limit that is not set is 0, which no job asks for. */
async function fromCgroups(groups: Cgroups): Promise<Omit<HostLimits, 'source'> | undefined> {
  const unified = groups.size === 1 ? groups.get('') : undefined
  if (unified !== undefined) {
    const [memory, swap, bandwidth, tasks] = await Promise.all(
      ['memory.max', 'memory.swap.max', 'cpu.max', 'pids.max'].map((name) =>
        readText(`${ROOT}${unified}/${name}`),
      ),
    )
    const [quota, period] = bandwidth?.split(' ') ?? []
    // Without a limit of swap, memory and swap together have none.
    const memorySwap = swap && /^\d+$/.test(swap) ? String(number(memory) + number(swap)) : swap && '0'
    return inUnits(quota, period, memorySwap, tasks)
  }
  const cpu = `${ROOT}/cpu${groups.get('cpu')}`
  const files = [
    `${cpu}/cpu.cfs_quota_us`,
    `${cpu}/cpu.cfs_period_us`,
    `${ROOT}/memory${groups.get('memory')}/memory.memsw.limit_in_bytes`,
    `${ROOT}/pids${groups.get('pids')}/pids.max`,
  ]
  const [quota, period, memorySwap, tasks] = await Promise.all(files.map(readText))
  return inUnits(quota, period, memorySwap, tasks)
}

function inUnits(quota?: string, period?: string, memorySwap?: string, tasks?: string) {
  if (quota === undefined || period === undefined) return undefined
  const memorySwapMb = memorySwap === undefined ? null : number(memorySwap) / MIB
  const cpus = number(period) > 0 ? number(quota) / number(period) : 0
  return { cpus, memorySwapMb, tasks: number(tasks) }
}

async function memoryOf(groups: Cgroups): Promise<HostMemory | undefined> {
  const unified = groups.size === 1 ? groups.get('') : undefined
  const files =
    unified === undefined
      ? ['memory.oom_control', 'memory.max_usage_in_bytes'].map(
          (name) => `${ROOT}/memory${groups.get('memory')}/${name}`,
        )
      : ['memory.events', 'memory.peak'].map((name) => `${ROOT}${unified}/${name}`)
  const [events, peak] = await Promise.all(files.map(readText))
  if (events === undefined) return undefined
  const kills = /^oom_kill (\d+)$/m.exec(events)?.[1]
  return { oomKills: number(kills), peakBytes: peak === undefined ? null : number(peak) }
}

/** 0 for "max", -1 and any other text. */
function number(text: string | undefined): number {
  return /^\d+$/.test(text ?? '') ? Number(text) : 0
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}
