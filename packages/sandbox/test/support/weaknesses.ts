import type { CreateOptions } from '../../../../test/support/rewriting-engine.ts'
import type { Defect } from './broken-init.ts'

/** A defect of a container that one probe must notice. */
export interface Weakness {
  /** Id of the probe. */
  readonly probe: string
  /** Description that continues "a container …". */
  readonly what: string
  readonly change?: (options: CreateOptions) => void
  /** Defects of its init. */
  readonly init?: readonly Defect[]
  /** Number of user ids for containers. @default that of a worker */
  readonly users?: number
}

/** A weakness by changed container flags. */
function host(probe: string, what: string, flags: Record<string, unknown>): Weakness {
  return { probe, what, change: ({ HostConfig }) => Object.assign(HostConfig, flags) }
}

function broken(probe: string, what: string, init: readonly Defect[]): Weakness {
  return { probe, what, init }
}

/** A weakness by changed options of all three writable mounts. */
function tmpfs(probe: string, what: string, from: RegExp, to: string): Weakness {
  return { probe, what, change: (options) => rewriteTmpfs(options, from, to) }
}

function rewriteTmpfs({ HostConfig }: CreateOptions, from: RegExp, to: string): void {
  const mounts = Object.entries(HostConfig['Tmpfs'] as Record<string, string>)
  HostConfig['Tmpfs'] = Object.fromEntries(mounts.map(([path, options]) => [path, options.replace(from, to)]))
}

/** Runs the container as root, who also owns the writable mounts. */
function asRoot(options: CreateOptions): void {
  options['User'] = '0:0'
  rewriteTmpfs(options, /uid=\d+,gid=\d+/, 'uid=0,gid=0')
}

function withoutUlimit({ HostConfig }: CreateOptions, name: string): void {
  const ulimits = HostConfig['Ulimits'] as { Name: string }[]
  HostConfig['Ulimits'] = ulimits.filter(({ Name }) => Name !== name)
}

const DUMPABLE: readonly Defect[] = [
  ['confinement/hide_init.c', 'prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);', 'prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);'],
  ['process/oom_score.c', 'prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);', ''],
  ['process/child.c', 'hide_init() < 0 || ', ''],
]
const KMSG = { PathOnHost: '/dev/kmsg', PathInContainer: '/dev/kmsg', CgroupPermissions: 'rwm' }
const ALL_ALLOWED = JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls: [] })

function inHostNetwork(options: CreateOptions): void {
  options['NetworkDisabled'] = false
  options.HostConfig['NetworkMode'] = 'host'
  // In the host's network the engine accepts no sysctls.
  options.HostConfig['Sysctls'] = {}
}

/** At least one weakness for each probe. @param folder a folder of this host that contains the honeypot's file */
export function weaknesses(folder: string): Weakness[] {
  return [
    { probe: 'interfaces', what: 'in the network of the host', change: inHostNetwork },
    { probe: 'connections', what: 'in the network of the host', change: inHostNetwork },
    host('files', 'that sees a folder of the host', { Binds: [`${folder}:/mnt${folder}:ro`] }),
    host('mounts', 'that sees a folder of the host', { Binds: [`${folder}:/host:ro`] }),
    {
      probe: 'mounts',
      what: 'in which /tmp belongs to another user',
      change: ({ HostConfig }) => {
        const mounts = HostConfig['Tmpfs'] as Record<string, string>
        mounts['/tmp'] = (mounts['/tmp'] ?? '').replace(
          /uid=\d+,gid=\d+,mode=0700/,
          'uid=60999,gid=60999,mode=0777',
        )
      },
    },
    host('read-only', 'whose image can be written to', { ReadonlyRootfs: false }),
    host('devices', 'with a device of the host', { Devices: [KMSG] }),
    broken('descriptors', 'whose init leaves its pipes open', [
      ['process/streams.c', 'pipe2(ends, O_CLOEXEC)', 'pipe2(ends, 0)'],
    ]),
    host('masks', 'without covered paths', { MaskedPaths: [] }),
    {
      probe: 'proc',
      what: 'of root without read-only paths',
      change: (options) => {
        asRoot(options)
        options.HostConfig['ReadonlyPaths'] = []
        // On a host with AppArmor the engine's profile denies root the same files, so it is switched off, too.
        options.HostConfig['SecurityOpt'] = [
          ...(options.HostConfig['SecurityOpt'] as string[]),
          'apparmor=unconfined',
        ]
      },
    },
    broken('init', 'whose init can be looked into', DUMPABLE),
    broken('environment', 'whose init can be looked into', DUMPABLE),
    {
      probe: 'host-name',
      what: 'with a name of its own',
      change: (options) => Object.assign(options, { Hostname: 'worker-17' }),
    },
    {
      probe: 'processes',
      what: 'in which the engine starts a process',
      change: (options) => {
        options['Healthcheck'] = { Test: ['CMD', '/bin/sleep', '20'], Interval: 1_000_000 }
      },
    },
    host('terminal', 'with the terminals of the host', { MaskedPaths: [] }),
    host('capabilities', 'with the usual capabilities', { CapDrop: [] }),
    host('calls', "with the engine's own seccomp profile", { SecurityOpt: ['no-new-privileges:true'] }),
    host('calls', 'with a seccomp profile that refuses nothing', {
      SecurityOpt: ['no-new-privileges:true', `seccomp=${ALL_ALLOWED}`],
    }),
    broken('uncounted', 'whose init lets programs install filters', [
      ['confinement/seccomp.c', '    NEVER_WITH(prctl, 0, PR_SET_SECCOMP),\n', ''],
    ]),
    broken('uncounted', 'whose init allows every socket option', [
      [
        'confinement/seccomp.c',
        '    IF_EQUAL(__NR_setsockopt, 1),\n    ALLOW,\n    SOCKET_OPTIONS,\n',
        '    ALLOW,\n',
      ],
    ]),
    host('uncounted', 'whose kernel remembers connections that have ended', { Sysctls: {} }),
    broken('uncounted', 'whose init lets splice move pages of sockets into pipes', [
      ['confinement/seccomp.c', '    UNLESS(__NR_splice, 1),\n    FAIL(EINVAL),\n', ''],
    ]),
    broken('uncounted', 'whose init lets sendfile move pages of sockets into pipes', [
      [
        'confinement/seccomp.c',
        '    UNLESS(0, 1),\n    FAIL(EINVAL),\n    ALLOW,\n',
        '    ALLOW,\n    ALLOW,\n    ALLOW,\n',
      ],
    ]),
    broken('uncounted', 'whose init allows huge pages', [
      ['confinement/seccomp.c', '    WITHOUT(memfd_create, 1, MFD_HUGETLB, ENOMEM),\n', ''],
    ]),
    {
      probe: 'uncounted',
      what: 'with a seccomp profile that refuses nothing, and whose init allows every family of sockets',
      change: ({ HostConfig }) => {
        HostConfig['SecurityOpt'] = ['no-new-privileges:true', `seccomp=${ALL_ALLOWED}`]
      },
      init: [['confinement/seccomp.c', '    FAMILIES(socket),\n', '']],
    },
    {
      probe: 'clock',
      what: 'of root that may set the clock',
      change: (options) => {
        asRoot(options)
        options.HostConfig['CapAdd'] = ['SYS_TIME']
        options.HostConfig['SecurityOpt'] = ['seccomp=unconfined']
      },
    },
    broken('signals', 'whose init a signal can end', [
      ['main.c', 'signal(SIGPIPE, SIG_IGN);', 'signal(SIGPIPE, SIG_IGN);\n  signal(SIGTERM, exit_init);'],
      ['confinement/seccomp.c', '    NEVER_ON_INIT(kill),\n', ''],
      // Sends the started frame first; otherwise the signal could end init before it.
      [
        'common/exit_init.c',
        'exit_init(int code) {',
        'exit_init(int code) {\n  extern void writer_flush_within(int milliseconds);\n  writer_flush_within(1000);',
      ],
    ]),
    broken('wire', 'whose init lends its wire to the program', [
      [
        'process/child.c',
        'for (int i = 0; i < 3; i++) ready',
        'fcntl(1, F_SETFD, 0);\n  for (int i = 0; i < 3; i += 2) ready',
      ],
    ]),
    host('forks', 'without a limit of processes', { PidsLimit: -1 }),
    host('memory', 'without a limit of memory', { Memory: 0, MemorySwap: 0 }),
    tmpfs('disk', 'with larger folders', /size=\d+/, `size=${64 * 1024 * 1024}`),
    tmpfs('inodes', 'with folders for any number of files', /nr_inodes=\d+/, 'nr_inodes=0'),
    broken('open-files', 'whose init sets no limit of open files, and says it did', [
      [
        'process/child.c',
        'if (limit((int)limits->resource[i], value, value) < 0) return -1;',
        '(void)value;',
      ],
      ['process/child.c', 'limits.value[i] = known ? (int64_t)now.rlim_cur : UNKNOWN;', '(void)known;'],
    ]),
    ...['core', 'nofile', 'memlock', 'msgqueue'].map((name) => ({
      probe: 'limits',
      what: `without ulimit ${name}`,
      change: (options: CreateOptions) => withoutUlimit(options, name),
    })),
    broken('output', 'whose init closes the pipe of a flood', [
      [
        'process/streams.c',
        'do got = read(output->fd, discarded, sizeof discarded);',
        'do got = 0 * (ssize_t)sizeof discarded;',
      ],
    ]),
    // The weight lets the probe use more than its share even beside other busy containers.
    host('cpu', 'without a share of the processor', { NanoCpus: 0, CpuShares: 262_144 }),
    broken('sleeper', 'whose init has no clock', [
      ['run/run.c', 'else if (now >= deadline_us) run_end(CAUSE_TIMEOUT);', ''],
    ]),
    {
      probe: 'core-file',
      what: 'without any limit of core files',
      change: (options) => withoutUlimit(options, 'core'),
      init: [['process/child.c', 'if (limit(RLIMIT_CORE, 0, 0) < 0) return -1;', '']],
    },
    host('neighbour', 'that shares the memory of the host', { IpcMode: 'host' }),
    { probe: 'neighbour', what: 'of the user of another', users: 1 },
    broken('artifact', 'whose init follows a link that is an artifact', [
      ['files/fetch.c', 'openat(directory, leaf, O_RDONLY | O_NOFOLLOW', 'openat(directory, leaf, O_RDONLY'],
    ]),
    broken('artifact', 'whose init follows a link on the way to an artifact', [
      [
        'files/path.c',
        'openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW',
        'openat(parent, name, O_RDONLY | O_DIRECTORY',
      ],
      ['files/path.c', 'name, &status, AT_SYMLINK_NOFOLLOW)', 'name, &status, 0)'],
    ]),
  ]
}
