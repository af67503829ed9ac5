import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from '../../src/driver/driver.ts'
import type { CgroupLimits } from '../../src/process/cgroup-tree.ts'
import { checkHost } from '../../src/process/open-process-driver.ts'
import { ProcessDriver, type ProcessDriverOptions } from '../../src/process/process-driver.ts'
import type { SandboxProcess, Spawner } from '../../src/process/spawner.ts'

/** A change to what the process driver asks for, by which a sandbox becomes weaker. */
export interface ProcessWeakness {
  /** Changes the steps of the spawner: a word and its values each. */
  readonly steps?: (steps: string[][]) => string[][]
  readonly limits?: (limits: CgroupLimits) => CgroupLimits
  /** A BPF program instead of the compiled profile. */
  readonly filter?: Buffer
}

/** Number of values of each step, as the spawner reads them. */
const VALUES: Readonly<Record<string, number>> = {
  ...{ cgroup: 1, unshare: 1, filter: 1, limit: 2, overlay: 3, bind: 3, tmpfs: 3, proc: 1 },
  ...{ directory: 1, device: 2, link: 2, restrict: 2, hostname: 1, root: 1, user: 2, 'drop-capabilities': 0 },
}
const END = '--'

/** Opens a process driver whose sandboxes have a weakness. */
export async function openWeakDriver(
  options: ProcessDriverOptions,
  weakness: ProcessWeakness,
): Promise<Driver> {
  const host = await checkHost(options)
  const { cgroups, spawner } = host
  const { limits, filter } = weakness
  const at = cgroups.at.bind(cgroups)
  cgroups.at = (name) => {
    const cgroup = at(name)
    const setLimits = cgroup.setLimits.bind(cgroup)
    cgroup.setLimits = (asked) => setLimits(limits?.(asked) ?? asked)
    return cgroup
  }
  const filters = new Map(host.filters)
  if (filter !== undefined) {
    const file = join(options.state, 'filter-weak')
    writeFileSync(file, filter)
    for (const name of filters.keys()) filters.set(name, file)
  }
  return new ProcessDriver(options, { ...host, filters, spawner: rewriting(spawner, weakness) })
}

function rewriting(spawner: Spawner, weakness: ProcessWeakness): Spawner {
  const start = spawner.start.bind(spawner)
  spawner.start = async (id) => {
    const sandbox: SandboxProcess = await start(id)
    const send = sandbox.send.bind(sandbox)
    sandbox.send = (words) => send(rewritten(words, weakness))
    return sandbox
  }
  return spawner
}

function rewritten(words: readonly string[], { steps = (same) => same }: ProcessWeakness): string[] {
  const end = words.indexOf(END)
  const program = end < 0 ? [] : words.slice(end)
  return [...steps(stepsOf(words)).flat(), ...program]
}

/** The steps of a request to the spawner. */
export function stepsOf(words: readonly string[]): string[][] {
  const steps: string[][] = []
  for (let at = 0; at < words.length && words[at] !== END; ) {
    const count = VALUES[words[at] ?? '']
    if (count === undefined) throw new Error(`there is no step ${words[at]}`)
    steps.push(words.slice(at, at + 1 + count))
    at += 1 + count
  }
  return steps
}
