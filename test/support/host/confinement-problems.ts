import { readFileSync, readlinkSync } from 'node:fs'
import { DRIVER } from '../runtime.ts'

const INIT_PATH = '/isopod/init'
const NAMESPACES = ['pid', 'net', 'mnt', 'ipc', 'uts', 'user', 'cgroup'] as const
/** Values of `Seccomp` in /proc of a confined process: 2 with a filter, 3 while the filter ends it. */
const FILTERED: ReadonlySet<string> = new Set(['2', '3'])

/** Init among the processes of a container; undefined before it has started and once it has ended. */
export function initOf(pids: readonly number[]): number | undefined {
  return pids.find((pid) => /^NSpid:.*\t1$/m.test(read(`/proc/${pid}/status`)) && isInit(pid))
}

/** Checks that every process has the namespaces of init, and no privileges. */
export function processProblems(pids: readonly number[], init: number): string[] {
  const home = namespaces(init)
  return pids.filter(isOfSandbox).flatMap((pid) => {
    const status = read(`/proc/${pid}/status`)
    if (!status.includes('CapEff')) return []
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? ''
    const found: string[] = []
    for (const set of ['CapEff', 'CapPrm', 'CapInh', 'CapBnd', 'CapAmb']) {
      if (!/^0+$/.test(field(set))) found.push(`a process in it has ${set} ${field(set)}`)
    }
    if (/(^|\s)0(\s|$)/.test(`${field('Uid')} ${field('Gid')}`)) found.push('a process in it is root')
    if (field('NoNewPrivs') !== '1') found.push('a process in it may gain privileges')
    if (!FILTERED.has(field('Seccomp'))) found.push('a process in it has no seccomp filter')
    const there = namespaces(pid)
    for (const name of NAMESPACES) {
      // A process that ends, such as an init that the kernel kills, has no namespaces any more.
      const both = [home.get(name), there.get(name)]
      if (both[0] !== both[1] && !both.includes(undefined))
        found.push(`a process in it is in another ${name} namespace than init`)
    }
    return found
  })
}

/** Effective user of a process; undefined if it has ended. */
export function userOf(pid: number): number | undefined {
  const uid = /^Uid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return uid === undefined ? undefined : Number(uid)
}

/** The program of a process; undefined if it has ended. */
function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

/** The first process of a sandbox is the spawner's until it becomes init. */
function isInit(pid: number): boolean {
  return DRIVER === 'docker' || programOf(pid) === INIT_PATH
}

/** A process without a program has ended. */
function isOfSandbox(pid: number): boolean {
  if (DRIVER === 'docker') return true
  return programOf(pid) !== undefined
}

function namespaces(pid: number): Map<string, string> {
  const links = NAMESPACES.flatMap((name) => {
    try {
      return [[name, readlinkSync(`/proc/${pid}/ns/${name}`)] as const]
    } catch {
      return []
    }
  })
  return new Map(links)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
