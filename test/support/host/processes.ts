import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { differences, type Observer } from './observer.ts'

/** A process of the host that an escaped program could harm. */
export interface Victim extends Observer {
  readonly pid: number
}

/** Files of /proc/<pid> whose content changes only if another process interferes with this one. */
const FACTS = ['oom_score_adj', 'limits', 'cgroup']

/** Starts a process with the user id of programs, so that only namespaces protect it from them. */
export async function startVictim(user: { uid: number; gid: number }): Promise<Victim> {
  const child = spawn('sleep', ['3600'], { ...user, stdio: 'ignore', env: {}, cwd: '/' })
  await once(child, 'spawn')
  const { pid } = child
  if (pid === undefined) throw new Error('the victim was not started')
  const facts = () =>
    new Map([...FACTS.map((fact) => [fact, read(`/proc/${pid}/${fact}`)] as const), ...state(pid)])
  const before = facts()
  return {
    pid,
    async findings() {
      if (child.exitCode !== null || child.signalCode !== null) {
        return [`a process of the host was ended by ${child.signalCode ?? child.exitCode}`]
      }
      return differences(before, facts()).map((difference) => `of a process of the host, ${difference}`)
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** Whether a process of the host, in a container or not, has this command line. */
export function hostRuns(...argv: readonly string[]): boolean {
  const cmdline = argv.map((word) => `${word}\0`).join('')
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`) === cmdline)
}

/** Reports processes outside of containers that have the attack's marker in their command line. */
export function watchProcesses(marker: string): Observer {
  return {
    async findings() {
      return readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => read(`/proc/${pid}/cmdline`).includes(marker))
        .filter((pid) => {
          const [cgroup, status] = [read(`/proc/${pid}/cgroup`), read(`/proc/${pid}/status`)]
          // Children of this process are tools that other observers run. One without a status has ended meanwhile.
          const isTool = status === '' || new RegExp(`^PPid:\\s*${process.pid}$`, 'm').test(status)
          return !isTool && !/[0-9a-f]{64}/.test(cgroup)
        })
        .map((pid) => `process ${pid} of an attack runs outside of every container`)
    },
  }
}

/** Fields of `stat` and `status` that show the priority, and whether the process was stopped. */
function state(pid: number): [string, string][] {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ')
  const threads = read(`/proc/${pid}/status`)
  return [
    ['state', fields[0] === 'T' || fields[0] === 't' ? 'stopped' : 'running'],
    ['nice value', fields[16] ?? ''],
    ['processors', /Cpus_allowed_list:\s*(\S+)/.exec(threads)?.[1] ?? ''],
    ['tracer', /TracerPid:\s*(\d+)/.exec(threads)?.[1] ?? ''],
  ]
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
