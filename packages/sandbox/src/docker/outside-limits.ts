import { readFile } from 'node:fs/promises'
import type { OutsideLimits } from '../container.ts'
import type { Engine } from './engine.ts'

const MIB = 1024 * 1024
const ROOT = '/sys/fs/cgroup'

/**
 * The limits of a running container that its init cannot see: from the cgroup on the host if that is this host, else from
 * the engine's record. User code has no hand in either.
 */
export async function outsideLimits(engine: Engine, id: string): Promise<OutsideLimits> {
  const { HostConfig: kept, State: state } = await engine.call('inspect', (docker, abortSignal) =>
    docker.getContainer(id).inspect({ abortSignal }),
  )
  const groups = await cgroupsOf(state.Pid, id)
  const own = groups && (await fromCgroups(groups))
  if (own !== undefined) return { ...own, source: 'kernel' }
  const cpus = (kept.NanoCpus ?? 0) / 1e9
  return { cpus, memorySwapMb: (kept.MemorySwap ?? 0) / MIB, source: 'engine' }
}

/** Controller → path of a process's cgroup; the one hierarchy of v2 has the name ''. */
type Cgroups = ReadonlyMap<string, string>

/**
 * The cgroups of a container's first process. Of another host its number means nothing here: only a path that names the
 * container is believed.
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

/** Undefined where the files cannot be read; a limit that is not set is 0, which nobody asks for. */
async function fromCgroups(groups: Cgroups): Promise<Omit<OutsideLimits, 'source'> | undefined> {
  const unified = groups.size === 1 ? groups.get('') : undefined
  if (unified !== undefined) {
    const [memory, swap, bandwidth] = await Promise.all(
      ['memory.max', 'memory.swap.max', 'cpu.max'].map((name) => readText(`${ROOT}${unified}/${name}`)),
    )
    const [quota, period] = bandwidth?.split(' ') ?? []
    const both = swap === undefined ? undefined : String(number(memory) + number(swap))
    return inUnits(quota, period, both)
  }
  const cpu = `${ROOT}/cpu${groups.get('cpu')}`
  const files = [
    `${cpu}/cpu.cfs_quota_us`,
    `${cpu}/cpu.cfs_period_us`,
    `${ROOT}/memory${groups.get('memory')}/memory.memsw.limit_in_bytes`,
  ]
  const [quota, period, memory] = await Promise.all(files.map(readText))
  return inUnits(quota, period, memory)
}

function inUnits(quota: string | undefined, period: string | undefined, memory: string | undefined) {
  if (quota === undefined || period === undefined) return undefined
  const memorySwapMb = memory === undefined ? null : number(memory) / MIB
  return { cpus: number(period) > 0 ? number(quota) / number(period) : 0, memorySwapMb }
}

/** 0 for «max», -1 and what is no number. */
function number(text: string | undefined): number {
  return /^\d+$/.test(text ?? '') ? Number(text) : 0
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}
