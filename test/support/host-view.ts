import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { PROCESS_LIMITS } from '@isopod/init'
import type { LimitsOf } from '@isopod/protocol'
import { docker } from './engine.ts'
import { initOf } from './host/confinement-problems.ts'
import { groupOf } from './host/control-group.ts'
import { DRIVER, RUNTIME } from './runtime.ts'

const MIB = 1024 * 1024

/** Limits of a running container in the host's kernel, with the units of `limits`; null for none. */
export interface HostView {
  readonly memoryMb: number | null
  readonly memorySwapMb: number | null
  readonly cpus: number | null
  /** Maximum of tasks, including init and the tasks of gVisor. */
  readonly tasks: number | null
  /** Like `process`, absent under gVisor, whose own kernel enforces these limits. */
  readonly diskMb?: number
  readonly process?: LimitsOf<'process'>
}

/** Reads a container's limits on the host: control groups, mounts, and limits of its program. */
export async function hostView(dockerHost: string, container: string): Promise<HostView> {
  const pid = await firstProcess(dockerHost, container)
  const groups = await groupsOf(pid)
  const v2 = existsSync('/sys/fs/cgroup/cgroup.controllers')
  const memory = await numbers(groups('memory'), v2 ? 'memory.max' : 'memory.limit_in_bytes')
  const swap = await numbers(groups('memory'), v2 ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes')
  const [quota, period] = v2
    ? await numbers(groups('cpu'), 'cpu.max')
    : [
        ...(await numbers(groups('cpu'), 'cpu.cfs_quota_us')),
        ...(await numbers(groups('cpu'), 'cpu.cfs_period_us')),
      ]
  const [pids] = await numbers(groups('pids'), 'pids.max')
  const bytes = (value: number | undefined) => (value === undefined ? null : value / MIB)
  return {
    memoryMb: bytes(memory[0]),
    memorySwapMb: bytes(
      v2 && memory[0] !== undefined && swap[0] !== undefined ? memory[0] + swap[0] : swap[0],
    ),
    cpus: quota === undefined || period === undefined ? null : quota / period,
    tasks: pids ?? null,
    ...(RUNTIME === 'runsc' ? {} : await programLimits(pid)),
  }
}

/** The host's number of a container's init. @throws if it is not running */
export async function firstProcess(dockerHost: string, container: string): Promise<string> {
  if (DRIVER === 'docker') return await docker(dockerHost, 'inspect', '--format', '{{.State.Pid}}', container)
  const init = initOf(groupOf(container)?.read()?.processes ?? [])
  if (init === undefined) throw new Error(`init of ${container} is not running`)
  return String(init)
}

/** Limits that the host's kernel enforces under runc, and gVisor's own kernel under gVisor. */
async function programLimits(pid: string): Promise<Required<Pick<HostView, 'diskMb' | 'process'>>> {
  const [program] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')
  // A head line, then one line per resource, in the order of their numbers: name, soft limit, hard limit, unit.
  const [, ...lines] = (await readFile(`/proc/${program}/limits`, 'utf8')).split('\n')
  const limits = PROCESS_LIMITS.map(({ name, resource, unit }) => {
    return [name, Number(/ (\d+) +\d+ /.exec(lines[resource] ?? '')?.[1]) / unit]
  })
  return {
    diskMb: (await mountBytes(pid, '/workspace')) / MIB + (await mountBytes(pid, '/tmp')) / MIB,
    process: Object.fromEntries(limits) as LimitsOf<'process'>,
  }
}

/** Returns a function from the name of a controller to the folder of the process's control group. */
async function groupsOf(pid: string): Promise<(controller: string) => string> {
  const lines = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n')
  return (controller) => {
    for (const line of lines) {
      const [, names = '', path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
      if (names === '') return `/sys/fs/cgroup${path}`
      if (names.split(',').includes(controller)) return `/sys/fs/cgroup/${controller}${path}`
    }
    throw new Error(`process ${pid} is in no group of ${controller}`)
  }
}

/** The numbers in a file of a control group; none for `max`, -1 and a missing file. */
async function numbers(folder: string, name: string): Promise<number[]> {
  const text = await readFile(`${folder}/${name}`, 'utf8').catch(() => '')
  return text
    .trim()
    .split(' ')
    .filter((word) => /^\d+$/.test(word))
    .map(Number)
}

async function mountBytes(pid: string, path: string): Promise<number> {
  const { bsize, blocks } = await statfs(`/proc/${pid}/root${path}`)
  return bsize * blocks
}
