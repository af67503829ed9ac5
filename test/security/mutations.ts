import type { CreateOptions } from '../support/rewriting-engine.ts'

/** One hardening flag of a container, removed or weakened. */
export interface Mutation {
  readonly flag: string
  /** The weakened value, or `dropped`. */
  readonly to: string
  change(options: CreateOptions): void
  /** Why only the engine's record of the container shows the mutation. Without a reason it must be noticed otherwise. */
  readonly onlyRecord?: string
}

/** Adds the reason why only the engine's record of the container shows the mutation. */
function onlyOnRecord(onlyRecord: string, mutation: Mutation): Mutation {
  return { ...mutation, onlyRecord }
}

function drop(name: string): Mutation {
  return {
    flag: name,
    to: 'dropped',
    change: ({ HostConfig }) => {
      delete HostConfig[name]
    },
  }
}

function host(name: string, value: unknown): Mutation {
  return {
    flag: name,
    to: JSON.stringify(value),
    change: ({ HostConfig }) => {
      HostConfig[name] = value
    },
  }
}

function top(name: string, value: unknown): Mutation {
  return {
    flag: name,
    to: JSON.stringify(value),
    change: (options) => {
      options[name] = value
    },
  }
}

function withoutUlimit(name: string): Mutation {
  return {
    flag: `Ulimits: ${name}`,
    to: 'dropped',
    change: ({ HostConfig }) => {
      const ulimits = HostConfig['Ulimits'] as { Name: string }[]
      HostConfig['Ulimits'] = ulimits.filter(({ Name }) => Name !== name)
    },
  }
}

/** Mount options that the engine sets by default, so that a mutation has to request the opposite. */
const OPPOSITES: Readonly<Record<string, string>> = { nosuid: 'suid', nodev: 'dev', noexec: 'exec' }

function tmpfs(path: string, name: string): Mutation {
  return {
    flag: `Tmpfs ${path}: ${name}`,
    to: OPPOSITES[name] ?? 'dropped',
    change: ({ HostConfig }) => {
      const mounts = HostConfig['Tmpfs'] as Record<string, string>
      const kept = (mounts[path] ?? '').split(',').filter((word) => word.split('=', 1)[0] !== name)
      const opposite = OPPOSITES[name]
      mounts[path] = [...kept, ...(opposite === undefined ? [] : [opposite])].join(',')
    },
  }
}

function ulimit(name: string, value: number): Mutation {
  return {
    flag: `Ulimits: ${name}`,
    to: String(value),
    change: ({ HostConfig }) => {
      const ulimits = HostConfig['Ulimits'] as { Name: string }[]
      HostConfig['Ulimits'] = [
        ...ulimits.filter(({ Name }) => Name !== name),
        { Name: name, Soft: value, Hard: value },
      ]
    },
  }
}

function withoutPaths(list: 'MaskedPaths' | 'ReadonlyPaths', what: string, pattern: RegExp): Mutation {
  return {
    flag: `${list}: ${what}`,
    to: 'dropped',
    change: ({ HostConfig }) => {
      const paths = HostConfig[list] as string[]
      HostConfig[list] = paths.filter((path) => !pattern.test(path))
    },
  }
}

function unmasked(what: string, pattern: RegExp): Mutation {
  return withoutPaths('MaskedPaths', what, pattern)
}

function securityOpt(name: string, to?: string): Mutation {
  return {
    flag: `SecurityOpt: ${name}`,
    to: to ?? 'dropped',
    change: ({ HostConfig }) => {
      const kept = ((HostConfig['SecurityOpt'] ?? []) as string[]).filter((word) => !word.startsWith(name))
      HostConfig['SecurityOpt'] = to === undefined ? kept : [...kept, to]
    },
  }
}

/** Reasons for {@link onlyOnRecord}. */
const MODE =
  'all processes in there have the same user, so a mode has no effect; older runtimes use the mode of the folder in the image'
const JOINED =
  'it decides whether another container may join, which the engine does only if that other one asks for it'
const ALL_ALLOWED = JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls: [] })

/** Every hardening flag of the sandbox's containers, each weakened in the most harmful way. */
export const MUTATIONS: readonly Mutation[] = [
  {
    flag: 'NetworkMode',
    to: '"host", NetworkDisabled too',
    change: (options) => {
      options['NetworkDisabled'] = false
      options.HostConfig['NetworkMode'] = 'host'
      // The engine refuses these sysctls in the host's network.
      options.HostConfig['Sysctls'] = {}
    },
  },
  onlyOnRecord('NetworkMode and NetworkDisabled each keep the network away', host('NetworkMode', 'host')),
  onlyOnRecord('NetworkMode and NetworkDisabled each keep the network away', top('NetworkDisabled', false)),
  host('ReadonlyRootfs', false),
  drop('CapDrop'),
  host('CapAdd', ['SYS_ADMIN']),
  host('Privileged', true),
  securityOpt('no-new-privileges'),
  // Without this option the engine applies its own default profile.
  securityOpt('seccomp'),
  securityOpt('seccomp', 'seccomp=unconfined'),
  securityOpt('seccomp', `seccomp=${ALL_ALLOWED}`),
  top('User', '0:0'),
  top('User', '65534:0'),
  { ...top('User', '60000:65534'), to: 'one id for all: 60000:65534' },
  {
    flag: 'Memory',
    to: 'dropped, MemorySwap too',
    change: ({ HostConfig }) => {
      delete HostConfig['Memory']
      delete HostConfig['MemorySwap']
    },
  },
  host('MemorySwap', -1),
  host('OomKillDisable', true),
  drop('NanoCpus'),
  drop('PidsLimit'),
  host('NanoCpus', 2e9),
  host('PidsLimit', 4096),
  ...['core', 'nofile', 'memlock', 'msgqueue'].map(withoutUlimit),
  ulimit('core', -1),
  ulimit('nofile', 65_536),
  ulimit('memlock', -1),
  ulimit('msgqueue', 819_200),
  ...['/workspace', '/tmp', '/dev/shm'].flatMap((path) =>
    ['size', 'nr_inodes', 'nosuid', 'nodev', 'uid', 'gid'].map((name) => tmpfs(path, name)),
  ),
  ...['/workspace', '/tmp', '/dev/shm'].map((path) => onlyOnRecord(MODE, tmpfs(path, 'mode'))),
  tmpfs('/dev/shm', 'noexec'),
  onlyOnRecord('this kernel has no such file', unmasked('kernel memory', /kcore/)),
  unmasked('keys', /keys/),
  unmasked('interrupts', /interrupts/),
  unmasked('timers', /timer_/),
  unmasked('sysfs', /^\/sys/),
  unmasked('pseudo terminals', /pts/),
  unmasked('locks', /locks/),
  unmasked('counters of the host', /^\/proc\/sys\//),
  host('MaskedPaths', []),
  host('ReadonlyPaths', []),
  withoutPaths('ReadonlyPaths', 'own cgroup', /cgroup/),
  host('IpcMode', 'host'),
  onlyOnRecord(JOINED, host('IpcMode', 'shareable')),
  drop('Sysctls'),
  host('PidMode', 'host'),
  host('Binds', ['/:/host:ro']),
  {
    flag: 'Mounts: init volume ReadOnly',
    to: 'false',
    change: ({ HostConfig }) => {
      for (const mount of HostConfig['Mounts'] as Record<string, unknown>[]) mount['ReadOnly'] = false
    },
  },
  host('LogConfig', { Type: 'json-file', Config: {} }),
  host('AutoRemove', true),
  host('RestartPolicy', { Name: 'always' }),
  host('Devices', [{ PathOnHost: '/dev/kmsg', PathInContainer: '/dev/kmsg', CgroupPermissions: 'rwm' }]),
  top('Entrypoint', ['/bin/sleep', '5']),
  top('Cmd', ['version']),
  onlyOnRecord('init goes to / by itself, and each run says where it starts', top('WorkingDir', '/tmp')),
  onlyOnRecord(
    'init passes none of it on, and its own environment cannot be read',
    top('Env', ['SECRET=must-not-leak']),
  ),
  top('Hostname', 'worker-17'),
  top('OpenStdin', false),
  top('StdinOnce', false),
  top('Tty', true),
  top('Healthcheck', { Test: ['CMD', '/bin/sleep', '20'], Interval: 1_000_000 }),
]
