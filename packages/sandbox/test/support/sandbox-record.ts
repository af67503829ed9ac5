import { readFileSync, readlinkSync } from 'node:fs'

const NAMESPACES = ['user', 'mnt', 'pid', 'ipc', 'uts', 'cgroup', 'net'] as const
const STATUS = [
  ...['Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'],
  ...['NoNewPrivs', 'Seccomp'],
]
const LIMITS = ['core file size', 'open files', 'locked memory', 'msgqueue size']

/** What the host's kernel shows of a process sandbox, in place of an engine's record: name → value. */
export type KernelRecord = Readonly<Record<string, string>>

/**
 * Reads what the kernel shows of a sandbox.
 *
 * @param pid the host's number of its init
 * @param user of the sandbox, named `own`, so that two sandboxes can be compared
 */
export function kernelRecord(pid: number, user: { readonly uid: number }): KernelRecord {
  const own = new RegExp(`\\b${user.uid}\\b`, 'g')
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').replace(own, 'own')
  const status = new Map(
    read('status')
      .split('\n')
      .map((line) => [line.split(':')[0], line.split(':')[1]?.trim() ?? '']),
  )
  const limits = read('limits').split('\n')
  return {
    ...Object.fromEntries(STATUS.map((name) => [name, (status.get(name) ?? '').replaceAll('\t', ' ')])),
    ...Object.fromEntries(
      NAMESPACES.map((name) => {
        const isOwn = readlinkSync(`/proc/${pid}/ns/${name}`) !== readlinkSync(`/proc/self/ns/${name}`)
        return [`namespace ${name}`, isOwn ? 'own' : 'the host’s']
      }),
    ),
    ...Object.fromEntries(
      LIMITS.map((name) => {
        const line = limits.find((text) => text.startsWith(`Max ${name}`)) ?? ''
        return [
          `limit of ${name}`,
          line.slice(`Max ${name}`.length).trim().split(/\s+/).slice(0, 2).join(' '),
        ]
      }),
    ),
    ...mounts(read('mountinfo')),
    interfaces: read('net/dev')
      .split('\n')
      .slice(2)
      .map((line) => line.split(':')[0]?.trim())
      .join(' ')
      .trim(),
    environment: read('environ'),
  }
}

/** Names whose value differs, one phrase each. */
export function recordDifferences(made: KernelRecord, right: KernelRecord): string[] {
  const names = new Set([...Object.keys(made), ...Object.keys(right)])
  return [...names].flatMap((name) =>
    made[name] === right[name]
      ? []
      : [`${name} is ${made[name] ?? 'absent'}, wanted ${right[name] ?? 'absent'}`],
  )
}

function mounts(mountinfo: string): Record<string, string> {
  return Object.fromEntries(
    mountinfo
      .trim()
      .split('\n')
      .map((line) => {
        const [before = '', after = ''] = line.split(' - ')
        const [, , , , point, options = ''] = before.split(' ')
        const [type = '', , superOptions = ''] = after.split(' ')
        // Sizes and owners of tmpfs, and that an overlay is one, belong to the file system.
        const own = type === 'tmpfs' ? superOptions.replace(/\b(ro|rw),/, '').replace(/,?inode64/, '') : ''
        return [`mount ${point}`, [type, options, own].filter(Boolean).join(' ')]
      }),
  )
}
