import { describe, expect, it } from 'vitest'
import {
  coveredPaths,
  firstSteps,
  type HostPaths,
  OWN_NAMESPACES,
  type SandboxPlan,
  sandboxSteps,
} from '../../src/process/sandbox-steps.ts'
import { limits } from '../support/execution.ts'
import { stepsOf } from '../support/weak-process-driver.ts'

const MIB = 1024 * 1024
const host: HostPaths = {
  init: '/state/init-0123',
  stage: '/state/stage',
  empty: '/state/empty',
  covers: {
    files: ['/proc/kcore', '/proc/keys'],
    directories: ['/proc/acpi'],
    readOnly: ['/proc/sys', '/proc/sysrq-trigger'],
  },
}
const plan: SandboxPlan = {
  limits: limits({ diskMb: 64 }),
  user: { uid: 70_001, gid: 70_000 },
  root: '/roots/sha256-0/files',
  filter: '/state/filter-0',
  opens: ['/usr/bin/python3', '/usr/lib/python3'],
  cgroup: {
    bindings: [
      { source: '/sys/fs/cgroup/memory/isopod/one', target: '/sys/fs/cgroup/memory' },
      { source: '/sys/fs/cgroup/pids/isopod/one', target: '/sys/fs/cgroup/pids' },
    ],
  },
}

const words = sandboxSteps(host, plan)
const steps = stepsOf(words)
const named = (name: string) => steps.filter(([word]) => word === name).map(([, ...values]) => values)
const command = words.slice(words.indexOf('--') + 1)
/** Position of the first step with this word. */
const place = (name: string) => steps.findIndex(([word]) => word === name)

describe('the first steps of a sandbox', () => {
  it('join every cgroup before anything else, then leave the host’s namespaces', () => {
    const doors = [
      '/sys/fs/cgroup/memory/isopod/one/cgroup.procs',
      '/sys/fs/cgroup/pids/isopod/one/cgroup.procs',
    ]
    expect(stepsOf(firstSteps({ doors }))).toEqual([
      ...doors.map((door) => ['cgroup', door]),
      ['unshare', 'mount,network,ipc,uts,cgroup'],
    ])
  })
})

describe('the steps of a sandbox', () => {
  it('read the seccomp filter while the host’s files are there', () => {
    expect(named('filter')).toEqual([['/state/filter-0']])
    expect(place('filter')).toBeLessThan(place('root'))
  })

  it('mount the language’s root read-only, over everything else', () => {
    expect(named('overlay')).toEqual([['/roots/sha256-0/files', '/state/empty', '/state/stage']])
    const mounts = steps.filter(([word]) => ['overlay', 'bind', 'tmpfs'].includes(word ?? ''))
    expect(mounts[0]?.[0]).toBe('overlay')
  })

  it('have devices of their own, and no others than these', () => {
    const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
    expect(named('device')).toEqual(devices.map((name) => [`/dev/${name}`, `/state/stage/dev/${name}`]))
  })

  it('mount nothing of the host but init and the sandbox’s own cgroup', () => {
    expect(named('bind')).toEqual([
      ['/state/init-0123', '/state/stage/isopod', 'readonly'],
      ...['memory', 'pids'].map((name) => [
        `/sys/fs/cgroup/${name}/isopod/one`,
        `/state/stage/sys/fs/cgroup/${name}`,
        'readonly,noexec',
      ]),
      // What no program may change covers itself.
      ...['sys', 'sysrq-trigger'].map((name) => [
        ...[`/state/stage/proc/${name}`, `/state/stage/proc/${name}`, 'readonly,noexec'],
      ]),
      ...['kcore', 'keys'].map((name) => [
        ...['/state/stage/dev/null', `/state/stage/proc/${name}`, 'readonly,noexec'],
      ]),
    ])
  })

  it('show the cgroup of version 2 at /sys/fs/cgroup itself', () => {
    const bindings = [{ source: '/sys/fs/cgroup/isopod/one', target: '/sys/fs/cgroup' }]
    const unified = stepsOf(sandboxSteps(host, { ...plan, cgroup: { bindings } }))
    expect(unified).toContainEqual([
      ...['bind', '/sys/fs/cgroup/isopod/one', '/state/stage/sys/fs/cgroup', 'readonly,noexec'],
    ])
    expect(unified.filter(([, path]) => path === '/state/stage/sys/fs/cgroup')).toEqual([
      ['directory', '/state/stage/sys/fs/cgroup'],
    ])
  })

  it('share the disk limit between workspace and /tmp, of which its user owns both', () => {
    const [workspace, tmp] = named('tmpfs')
    const owned = 'uid=70001,gid=70000,mode=0700'
    expect(workspace).toEqual(['/state/stage/workspace', `size=${48 * MIB},nr_inodes=6144,${owned}`, 'exec'])
    expect(tmp).toEqual(['/state/stage/tmp', `size=${16 * MIB},nr_inodes=2048,${owned}`, 'exec'])
  })

  it('bound every other file system, and let no program start from it', () => {
    const small = 'size=64k,nr_inodes=32,mode=0755'
    expect(named('tmpfs').slice(2)).toEqual([
      ['/state/stage/dev', small, 'noexec,device'],
      ['/state/stage/dev/shm', `size=${16 * MIB},nr_inodes=2048,uid=70001,gid=70000,mode=0700`, 'noexec'],
      ['/state/stage/sys', small, 'noexec'],
      ['/state/stage/proc/acpi', 'size=4k,nr_inodes=1,mode=0755', 'readonly,noexec'],
    ])
  })

  it('make /dev and /sys read-only after everything in them has been made', () => {
    expect(named('restrict')).toEqual([
      ['/state/stage/dev', 'readonly,noexec,device'],
      ['/state/stage/sys', 'readonly,noexec'],
    ])
    for (const [target = ''] of named('restrict')) {
      const at = steps.findIndex(([word, path]) => word === 'restrict' && path === target)
      const made = steps.slice(at + 1).map(([word, one = '', other = '']) => (word === 'bind' ? other : one))
      expect(made.filter((path) => path.startsWith(`${target}/`))).toEqual([])
    }
  })

  it('have the links of /dev, and no terminals', () => {
    expect(named('link')).toEqual([
      ['/proc/self/fd', '/state/stage/dev/fd'],
      ...['stdin', 'stdout', 'stderr'].map((name, fd) => [`/proc/self/fd/${fd}`, `/state/stage/dev/${name}`]),
    ])
    expect(words.filter((word) => /pts|ptmx|console/.test(word))).toEqual([])
  })

  it('limit core files, descriptors, locked memory and message queues', () => {
    const openFiles = limits().openFiles
    const [core, files, ...others] = named('limit')
    expect(core).toEqual(['4', '0'])
    expect(Number(files?.[1])).toBeGreaterThanOrEqual(openFiles)
    expect([files?.[0], ...others]).toEqual(['7', ['8', String(MIB)], ['12', '0']])
  })

  it('show the sandbox’s own processes before they cover what tells of the host', () => {
    expect(named('proc')).toEqual([['/state/stage/proc']])
    const covers = steps.flatMap(([, ...paths], at) =>
      paths.some((path) => path.startsWith('/state/stage/proc/')) ? [at] : [],
    )
    expect(covers).toHaveLength(5)
    expect(covers.every((at) => at > place('proc') && at < place('root'))).toBe(true)
  })

  it('hide the name of the host', () => expect(named('hostname')).toEqual([['sandbox']]))

  it('leave the host’s mounts, then root, then the user’s right to its namespaces, and every capability', () => {
    expect(steps.slice(-4)).toEqual([
      ['root', '/state/stage'],
      ['user', '70001', '70000'],
      ['unshare', 'user'],
      ['drop-capabilities'],
    ])
  })

  it('become init with the files that it opens ahead', () => {
    expect(command).toEqual(['/isopod/init', '/usr/bin/python3', '/usr/lib/python3', ''])
  })
})

describe('own namespaces', () => {
  it('are all that a sandbox makes, and that of processes, with which it begins', () => {
    const made = [...stepsOf(firstSteps({ doors: [] })), ...steps].flatMap(([word, names = '']) =>
      word === 'unshare' ? names.split(',') : [],
    )
    expect([...made, 'pid'].sort()).toEqual([...OWN_NAMESPACES].sort())
  })
})

describe('covered paths', () => {
  it('are those of /proc that this kernel has, by kind', () => {
    const kinds: Record<string, 'file' | 'directory'> = {
      '/proc/kcore': 'file',
      '/proc/acpi': 'directory',
      '/proc/locks': 'file',
      // Not of /proc: the sandbox's own /sys and /dev have neither.
      '/sys/firmware': 'directory',
      '/dev/pts/ptmx': 'file',
      '/proc/sys': 'directory',
      '/proc/sysrq-trigger': 'file',
      '/sys/fs/cgroup': 'directory',
    }
    expect(coveredPaths((path) => kinds[path])).toEqual({
      files: ['/proc/kcore', '/proc/locks'],
      directories: ['/proc/acpi'],
      readOnly: ['/proc/sys', '/proc/sysrq-trigger'],
    })
  })
})
