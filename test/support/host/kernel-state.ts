import { globSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { differences, type Observer } from './observer.ts'

/** Kernel settings that an escaped program could change to run code on the host or to harm it. None changes by itself. */
const SETTINGS = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/modprobe',
  '/proc/sys/kernel/domainname',
  '/proc/sys/kernel/panic',
  '/proc/sys/kernel/sysrq',
  '/proc/sys/kernel/randomize_va_space',
  '/proc/sys/kernel/yama/ptrace_scope',
  '/proc/sys/kernel/unprivileged_bpf_disabled',
  '/proc/sys/kernel/perf_event_paranoid',
  '/proc/sys/vm/overcommit_memory',
  '/proc/sys/vm/panic_on_oom',
  '/sys/kernel/uevent_helper',
  '/sys/kernel/mm/transparent_hugepage/enabled',
]
const PATTERNS = ['/sys/fs/cgroup/*/release_agent', '/sys/fs/cgroup/*/notify_on_release', '/sys/module/*']
const CLOCK_DRIFT_MS = 5_000

/** Watches the kernel's settings and modules, the host's name and domain, and its clock. */
export function watchKernel(): Observer {
  const before = read()
  const clock = realMinusMonotonic()
  return {
    async findings() {
      const found = differences(before, read())
      const moved = Math.abs(realMinusMonotonic() - clock)
      return moved < CLOCK_DRIFT_MS ? found : [...found, `the clock moved by ${moved} ms`]
    },
  }
}

function read(): Map<string, string> {
  const values = SETTINGS.map((path) => [path, text(path)] as const)
  const listed = PATTERNS.map((pattern) => [pattern, globSync(pattern).sort()] as const)
  return new Map([
    ['host name', hostname()],
    ...values,
    ...listed.map(([pattern, paths]) => [`the list of ${pattern}`, paths.join(' ')] as const),
    ...listed.flatMap(([, paths]) => paths.map((path) => [path, text(path)] as const)),
  ])
}

/** The content of a file; a fixed text for a folder and for a file that this kernel lacks. */
function text(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '(unreadable)'
  }
}

function realMinusMonotonic(): number {
  return Date.now() - performance.now()
}
