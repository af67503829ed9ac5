import type { CreateOptions } from '../support/rewriting-engine.ts'

/** One flag of a container taken away or weakened. */
export interface Mutation {
  readonly flag: string
  /** What is done to it. */
  readonly to: string
  change(options: CreateOptions): void
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

/** What the engine takes for granted has to be asked away. */
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

function unmasked(what: string, pattern: RegExp): Mutation {
  return {
    flag: `MaskedPaths: ${what}`,
    to: 'dropped',
    change: ({ HostConfig }) => {
      const paths = HostConfig['MaskedPaths'] as string[]
      HostConfig['MaskedPaths'] = paths.filter((path) => !pattern.test(path))
    },
  }
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

/** Every flag that a container of ours is made with, each weakened in the way that would harm most. */
export const MUTATIONS: readonly Mutation[] = [
  host('NetworkMode', 'host'),
  host('ReadonlyRootfs', false),
  drop('CapDrop'),
  host('CapAdd', ['SYS_ADMIN']),
  host('Privileged', true),
  securityOpt('no-new-privileges'),
  securityOpt('seccomp', 'seccomp=unconfined'),
  top('User', '0:0'),
  top('User', '65534:0'),
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
  ...['core', 'nofile', 'memlock', 'msgqueue'].map(withoutUlimit),
  ...['/workspace', '/tmp', '/dev/shm'].flatMap((path) =>
    ['size', 'nr_inodes', 'nosuid', 'nodev', 'mode', 'uid'].map((name) => tmpfs(path, name)),
  ),
  tmpfs('/dev/shm', 'noexec'),
  unmasked('kernel memory', /kcore/),
  unmasked('keys', /keys/),
  unmasked('interrupts', /interrupts/),
  unmasked('timers', /timer_/),
  unmasked('sysfs', /^\/sys/),
  unmasked('pseudo terminals', /pts/),
  unmasked('locks', /locks/),
  host('MaskedPaths', []),
  host('ReadonlyPaths', []),
  host('IpcMode', 'host'),
  host('IpcMode', 'shareable'),
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
  top('WorkingDir', '/tmp'),
  top('Env', ['SECRET=must-not-leak']),
  top('Hostname', 'worker-17'),
  top('OpenStdin', false),
  top('StdinOnce', false),
  top('Tty', true),
  top('Healthcheck', { Test: ['CMD', '/bin/true'], Interval: 1_000_000_000 }),
]
