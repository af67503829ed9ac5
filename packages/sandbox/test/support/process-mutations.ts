import type { CgroupLimits } from '../../src/process/cgroup-tree.ts'
import type { ProcessWeakness } from './weak-process-driver.ts'

/** One protection of the process driver, removed or weakened. */
export interface ProcessMutation extends ProcessWeakness {
  readonly protection: string
  readonly to: string
  /**
   * What must notice it: `start`, because no sandbox starts; `read-back`, because init reads other limits; `record`, because the
   * host's kernel shows another sandbox; or the id of a probe of the self-test.
   */
  readonly noticedBy: string
  /** The only version of cgroups that has it. @default both */
  readonly version?: 1 | 2
  /** Why only the record shows it. */
  readonly why?: string
}

/** A program of one instruction, which allows every call. */
const ALLOWS_ALL = Buffer.from([6, 0, 0, 0, 0, 0, 0xff, 0x7f])
const RECORD = 'record'
const READ_BACK = 'read-back'
const START = 'start'

/** Changes the steps whose word and last path are these; undefined drops them. */
function step(word: string, path: RegExp, change: (step: string[]) => string[] | undefined): ProcessWeakness {
  return {
    steps: (steps) =>
      steps.flatMap((one) => {
        if (one[0] !== word || !path.test(one.slice(1).join(' '))) return [one]
        const changed = change(one)
        return changed === undefined ? [] : [changed]
      }),
  }
}

function without(word: string, path: RegExp): ProcessWeakness {
  return step(word, path, () => undefined)
}

function both(one: ProcessWeakness, other: ProcessWeakness): ProcessWeakness {
  return { steps: (steps) => other.steps?.(one.steps?.(steps) ?? steps) ?? steps }
}

function limits(change: (limits: CgroupLimits) => Partial<CgroupLimits>): ProcessWeakness {
  return { limits: (asked) => ({ ...asked, ...change(asked) }) }
}

function tmpfs(path: string, from: RegExp, to: string): ProcessWeakness {
  return step('tmpfs', new RegExp(`${path} size`), (words) => words.map((word) => word.replace(from, to)))
}

function flags(word: string, path: RegExp, from: string): ProcessWeakness {
  return step(word, path, (words) => words.with(-1, (words.at(-1) ?? '').replace(from, '')))
}

/** Leaves a sandbox in a namespace of the host. */
function sharing(namespace: string): ProcessWeakness {
  return step('unshare', new RegExp(namespace), ([word = '', names = '']) => [
    word,
    names.replace(`,${namespace}`, ''),
  ])
}

const NAMESPACES: readonly ProcessMutation[] = [
  { protection: 'namespace ipc', to: 'dropped', noticedBy: 'neighbour', ...sharing('ipc') },
  {
    ...{ protection: 'namespace uts', to: 'dropped, with the name', noticedBy: 'host-name' },
    ...both(sharing('uts'), without('hostname', /./)),
  },
  {
    ...{ protection: 'namespace cgroup', to: 'dropped', noticedBy: RECORD, ...sharing('cgroup') },
    why: 'the sandbox sees no cgroup file system but its own directory',
  },
  { protection: 'namespace user', to: 'dropped', noticedBy: START, ...without('unshare', /^user$/) },
]

const SIZES: readonly ProcessMutation[] = ['/workspace', '/tmp', '/dev/shm'].flatMap((path) => [
  {
    ...{ protection: `size of ${path}`, to: '1 GiB', noticedBy: READ_BACK },
    ...tmpfs(path, /^size=\d+/, 'size=1073741824'),
  },
  {
    ...{ protection: `number of files in ${path}`, to: 'unlimited', noticedBy: 'inodes' },
    ...tmpfs(path, /nr_inodes=\d+/, 'nr_inodes=0'),
  },
])

const LIMITS: readonly ProcessMutation[] = [
  ['core files', 4],
  ['open files', 7],
  ['locked memory', 8],
  ['message queues', 12],
].map(([name, number]) => ({
  ...{ protection: `limit of ${name}`, to: 'dropped', noticedBy: 'limits' },
  ...without('limit', new RegExp(`^${number} `)),
}))

/**
 * Every protection of a process sandbox, broken in the driver, but its own processes, mounts, network and root: without them the
 * spawner would mount on the host. packages/init/test/native/spawner.test.ts tests their steps.
 */
export const PROCESS_MUTATIONS: readonly ProcessMutation[] = [
  ...NAMESPACES,
  {
    ...{ protection: 'overlay of the root', to: 'the root itself', noticedBy: RECORD },
    why: 'only locks and watches of other sandboxes show that files are shared',
    ...step('overlay', /./, ([, root = '', , stage = '']) => ['bind', root, stage, 'readonly']),
  },
  {
    ...{
      protection: 'init',
      to: 'writable',
      noticedBy: RECORD,
      ...flags('bind', /\/stage\/isopod /, 'readonly'),
    },
    why: 'the file belongs to root, whom the sandbox does not know',
  },
  ...SIZES,
  {
    ...{ protection: 'owner of /tmp', to: 'every user', noticedBy: 'mounts' },
    ...tmpfs('/tmp', /uid=\d+,gid=\d+,mode=0700/, 'uid=60999,gid=60999,mode=0777'),
  },
  {
    protection: '/dev',
    to: 'writable',
    noticedBy: RECORD,
    why: 'it belongs to root',
    ...without('restrict', /\/dev /),
  },
  {
    protection: '/sys',
    to: 'writable',
    noticedBy: RECORD,
    why: 'it belongs to root',
    ...without('restrict', /\/sys /),
  },
  {
    ...{ protection: 'cgroup in the sandbox', to: 'writable', noticedBy: RECORD, why: 'it belongs to root' },
    ...flags('bind', /\/sys\/fs\/cgroup/, 'readonly,'),
  },
  {
    ...{ protection: 'devices', to: 'also the kernel log', noticedBy: 'devices' },
    ...step('device', /\/dev\/tty/, ([word = '', , path = '']) => [
      word,
      '/dev/kmsg',
      path.replace('tty', 'kmsg'),
    ]),
  },
  ...LIMITS,
  {
    ...{ protection: 'user', to: 'root', noticedBy: READ_BACK },
    ...step('user', /./, () => ['user', '0', '0']),
  },
  {
    ...{ protection: 'user', to: 'one for all', noticedBy: READ_BACK },
    ...step('user', /./, () => ['user', '60999', '65534']),
  },
  {
    ...{ protection: 'seccomp profile', to: 'dropped', noticedBy: READ_BACK },
    ...without('filter', /./),
  },
  { protection: 'seccomp profile', to: 'allows every call', noticedBy: 'calls', filter: ALLOWS_ALL },
  {
    ...{ protection: 'capabilities', to: 'all of its user namespace', noticedBy: READ_BACK },
    ...without('drop-capabilities', /^$/),
  },
  {
    ...{ protection: 'host name', to: '"worker-17"', noticedBy: 'host-name' },
    ...step('hostname', /./, ([word = '']) => [word, 'worker-17']),
  },
  { protection: '/proc', to: 'dropped', noticedBy: START, ...without('proc', /./) },
  { protection: 'masked files', to: 'dropped', noticedBy: 'masks', ...without('bind', /^\S+null /) },
  { protection: 'masked directories', to: 'dropped', noticedBy: RECORD, ...without('tmpfs', /\/proc\//) },
  {
    ...{
      protection: 'read-only paths of /proc',
      to: 'writable',
      noticedBy: RECORD,
      why: 'they belong to root',
    },
    ...without('bind', /\/proc\/(\S+) \S+\/proc\/\1 /),
  },
  {
    protection: 'memory',
    to: 'twice as much',
    noticedBy: READ_BACK,
    ...limits(({ memoryMb }) => ({ memoryMb: 2 * memoryMb })),
  },
  {
    protection: 'processors',
    to: 'twice as much',
    noticedBy: READ_BACK,
    ...limits(({ cpus }) => ({ cpus: 2 * cpus })),
  },
  {
    protection: 'processes',
    to: 'twice as many',
    noticedBy: READ_BACK,
    ...limits(({ tasks }) => ({ tasks: 2 * tasks })),
  },
  {
    version: 1,
    protection: 'cgroup of memory',
    to: 'not joined',
    noticedBy: 'memory',
    ...without('cgroup', /\/memory\//),
  },
  {
    version: 1,
    protection: 'cgroup of processes',
    to: 'not joined',
    noticedBy: 'forks',
    ...without('cgroup', /\/pids\//),
  },
  { version: 2, protection: 'cgroup', to: 'not joined', noticedBy: 'memory', ...without('cgroup', /./) },
]
