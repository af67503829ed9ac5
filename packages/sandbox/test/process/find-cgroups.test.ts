import { describe, expect, it } from 'vitest'
import { directoryOf, parseMounts, parsePaths } from '../../src/process/find-cgroups.ts'

const VERSION_1 = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
31 23 0:28 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
32 31 0:29 / /sys/fs/cgroup/systemd rw,nosuid shared:9 - cgroup cgroup rw,xattr,name=systemd
33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:10 master:2 - cgroup cgroup rw,cpu,cpuacct
34 31 0:32 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory
38 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`
const POD = `705 696 0:29 /kubepods/pod1/abc /sys/fs/cgroup/memory ro,nosuid master:16 - cgroup cgroup rw,memory
`
const at = (text: string, controller: string, path: string | undefined) => {
  const mount = parseMounts(text).find(({ controllers }) => controllers.includes(controller))
  return mount && directoryOf(mount, path)
}

describe('the mounts of cgroups', () => {
  it('of version 1 are those with a controller, optional fields or not', () => {
    const mounts = parseMounts(VERSION_1)
    expect(mounts.map(({ point, version }) => [version, point])).toEqual([
      [1, '/sys/fs/cgroup/systemd'],
      [1, '/sys/fs/cgroup/cpu,cpuacct'],
      [1, '/sys/fs/cgroup/memory'],
      [2, '/sys/fs/cgroup/unified'],
    ])
    expect(mounts[1]?.controllers).toEqual(expect.arrayContaining(['cpu', 'cpuacct']))
    expect(mounts[2]?.controllers).toContain('memory')
    expect([mounts[2], ...parseMounts(POD)].map((mount) => mount?.isReadOnly)).toEqual([false, true])
  })

  it('of version 2 have no controllers', () => {
    expect(
      parseMounts('30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n'),
    ).toEqual([{ point: '/sys/fs/cgroup', root: '/', controllers: [], version: 2, isReadOnly: false }])
  })

  it('of a host without any are none', () => {
    expect(parseMounts('22 1 8:1 / / rw - ext4 /dev/sda1 rw\n')).toEqual([])
    expect(parseMounts('')).toEqual([])
  })
})

describe('the paths of a process', () => {
  it('are found by controller, and by the empty name for version 2', () => {
    const paths = parsePaths(
      '4:memory:/one\n3:cpu,cpuacct:/two:three\n1:name=systemd:/init.scope\n0::/user.slice\n',
    )
    expect(Object.fromEntries(paths)).toEqual({
      ...{ memory: '/one', cpu: '/two:three', cpuacct: '/two:three' },
      ...{ 'name=systemd': '/init.scope', '': '/user.slice' },
    })
  })

  it('are none where there is nothing to read', () => expect(parsePaths('\n').size).toBe(0))
})

describe('the own cgroup of a process', () => {
  it.each([
    ['below the root of the hierarchy', VERSION_1, '/worker', '/sys/fs/cgroup/memory/worker'],
    ['the root itself', VERSION_1, '/', '/sys/fs/cgroup/memory'],
    ['unknown, and so the root', VERSION_1, undefined, '/sys/fs/cgroup/memory'],
    ['what a pod has mounted', POD, '/kubepods/pod1/abc', '/sys/fs/cgroup/memory'],
    ['below what a pod has mounted', POD, '/kubepods/pod1/abc/worker', '/sys/fs/cgroup/memory/worker'],
    ['in a namespace of cgroups, of which the mount shows more', POD, '/', '/sys/fs/cgroup/memory'],
    ['beside what is mounted, with a longer name', POD, '/kubepods/pod1/abcdef', '/sys/fs/cgroup/memory'],
    ['above a namespace of cgroups', VERSION_1, '/../other', '/sys/fs/cgroup/memory'],
    ['above what is mounted', POD, '/kubepods/pod1/abc/../other', '/sys/fs/cgroup/memory'],
  ])('is %s', (_, text, path, directory) => {
    expect(at(text, 'memory', path)).toBe(directory)
  })
})
