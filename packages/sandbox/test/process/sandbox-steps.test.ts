import { describe, expect, it } from 'vitest'
import {
  firstSteps,
  type HostPaths,
  maskedPaths,
  type SandboxPlan,
  sandboxSteps,
} from '../../src/process/sandbox-steps.ts'
import { limits } from '../support/execution.ts'
import { stepsOf } from '../support/weak-process-driver.ts'

const MIB = 1024 * 1024
const host: HostPaths = {
  bubblewrap: '/usr/bin/bwrap',
  init: '/state/init-0123',
  stage: '/state/stage',
  empty: '/state/empty',
  masks: { files: ['/proc/kcore', '/proc/keys'], directories: ['/proc/acpi'] },
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
const bubblewrap = command.slice(1, command.indexOf('--'))
/** The values of an option of bubblewrap. */
const option = (name: string, count = 1) =>
  bubblewrap.flatMap((word, at) =>
    word === name ? [bubblewrap.slice(at + 1, at + 1 + count).join(' ')] : [],
  )

describe('the first steps of a sandbox', () => {
  it('join every cgroup before anything else, then leave the host’s mounts and network', () => {
    const doors = [
      '/sys/fs/cgroup/memory/isopod/one/cgroup.procs',
      '/sys/fs/cgroup/pids/isopod/one/cgroup.procs',
    ]
    expect(stepsOf(firstSteps({ doors }))).toEqual([...doors.map((door) => ['cgroup', door]), ['unshare']])
  })
})

describe('the steps of a sandbox', () => {
  it('name its seccomp filter and its user', () => {
    expect(named('filter')).toEqual([['/state/filter-0']])
    expect(named('user')).toEqual([['70001', '70000']])
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
    ])
  })

  it('make /dev and /sys read-only after everything in them has been made', () => {
    expect(named('restrict')).toEqual([
      ['/state/stage/dev', 'readonly,noexec,device'],
      ['/state/stage/sys', 'readonly,noexec'],
    ])
    for (const [target = ''] of named('restrict')) {
      const at = steps.findIndex(([word, path]) => word === 'restrict' && path === target)
      const later = steps.slice(at + 1).filter(([word]) => word !== 'restrict' && word !== 'limit')
      expect(later.flat().filter((value) => value.startsWith(`${target}/`))).toEqual([])
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

  it('become bubblewrap, which becomes init with the files that it opens ahead', () => {
    expect(command[0]).toBe('/usr/bin/bwrap')
    expect(command.slice(command.indexOf('--'))).toEqual([
      ...['--', '/isopod/init', '/usr/bin/python3', '/usr/lib/python3', ''],
    ])
  })
})

describe('bubblewrap', () => {
  it('unshares every namespace that the spawner did not', () => {
    const unshared = bubblewrap.filter((word) => word.startsWith('--unshare'))
    expect(unshared).toEqual(['user', 'pid', 'ipc', 'uts', 'cgroup'].map((name) => `--unshare-${name}`))
    expect(bubblewrap.filter((word) => word.startsWith('--share'))).toEqual([])
  })
  it('has the user of the plan', () =>
    expect([option('--uid'), option('--gid')]).toEqual([['70001'], ['70000']]))
  it('drops every capability', () => {
    expect(option('--cap-drop')).toEqual(['ALL'])
    expect(bubblewrap).not.toContain('--cap-add')
  })
  it('installs the filter that the spawner has opened', () => expect(option('--seccomp')).toEqual(['3']))
  it('tells the spawner of init', () => expect(option('--info-fd')).toEqual(['4']))
  it('makes init the first process, without an environment', () => {
    expect(bubblewrap).toContain('--as-pid-1')
    expect(bubblewrap).toContain('--clearenv')
    expect(bubblewrap).not.toContain('--setenv')
  })
  it('hides the name of the host', () => expect(option('--hostname')).toEqual(['sandbox']))
  it('mounts nothing but the stage, /proc and masks', () => {
    expect(option('--dev-bind', 2)).toEqual(['/state/stage /'])
    expect(option('--proc')).toEqual(['/proc'])
    expect(option('--ro-bind', 2)).toEqual([
      '/state/stage/dev/null /proc/kcore',
      '/state/stage/dev/null /proc/keys',
    ])
    expect(option('--tmpfs')).toEqual(['/proc/acpi'])
    expect(option('--remount-ro')).toEqual(['/proc/acpi'])
    expect(bubblewrap.filter((word) => /^--(bind|dev|overlay|file|symlink)/.test(word))).toEqual([
      '--dev-bind',
    ])
  })
  it('covers /proc only after it has mounted it', () => {
    expect(bubblewrap.indexOf('--proc')).toBeLessThan(bubblewrap.indexOf('--ro-bind'))
    expect(bubblewrap.indexOf('--dev-bind')).toBeLessThan(bubblewrap.indexOf('--proc'))
  })
})

describe('masked paths', () => {
  it('are those of /proc that this kernel has, by kind', () => {
    const kinds: Record<string, 'file' | 'directory'> = {
      '/proc/kcore': 'file',
      '/proc/acpi': 'directory',
      '/proc/locks': 'file',
      // Not of /proc: the sandbox's own /sys and /dev have neither.
      '/sys/firmware': 'directory',
      '/dev/pts/ptmx': 'file',
    }
    expect(maskedPaths((path) => kinds[path])).toEqual({
      files: ['/proc/kcore', '/proc/locks'],
      directories: ['/proc/acpi'],
    })
  })
})
