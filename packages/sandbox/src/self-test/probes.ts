import { PROCESS_LIMITS } from '@isopod/init'
import { isGvisor } from '@isopod/protocol'
import {
  HOST_NAME,
  INIT_PATH,
  inodesOf,
  MASKED_PATHS,
  MEMLOCK_BYTES,
  openFilesOf,
  SHM_BYTES,
  tmpBytes,
  workspaceBytes,
} from '../driver/confinement.ts'
import { environment } from '../program/environment.ts'
import type { Observation, Probe } from './probe.ts'

const MIB = 1024 * 1024
/** Sockets and folders of engines, which would let a container start others. */
const ENGINE_PLACES = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
  '/run/crio/crio.sock',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/var/lib/kubelet',
]

/** Arguments that a probe gets only under gVisor. */
function inGvisor(...args: readonly string[]): NonNullable<Probe['args']> {
  return (_honeypot, _limits, { runtime }) => (isGvisor(runtime) ? args : [])
}

/** The facts with another value than wanted, as one phrase; false if all have the wanted value. */
function differences(fact: Observation['fact'], wanted: Readonly<Record<string, number>>): string | false {
  const wrong = Object.entries(wanted).filter(([name, value]) => fact(name) !== value)
  return (
    wrong.length > 0 && wrong.map(([name, value]) => `${name} is ${fact(name)}, wanted ${value}`).join(', ')
  )
}

/** Attacks that need one container each. */
export const PROBES: readonly Probe[] = [
  { id: 'interfaces', tries: 'to find a network interface or a route' },
  {
    id: 'connections',
    tries: 'to reach a port and an abstract socket of the host',
    args: ({ token, port, socket }) => [token, port, `@${socket}`],
    judge: ({ honeypot }) => honeypot.visits() > 0 && `${honeypot.visits()} connections reached the host`,
  },
  {
    id: 'files',
    tries: 'to find a file of the host, or a socket of its engine',
    args: ({ file }) => [file, ...ENGINE_PLACES],
    judge: ({ honeypot, output }) => output.includes(honeypot.secret) && `read ${honeypot.file} of the host`,
  },
  {
    id: 'mounts',
    tries: 'to find a mount of the host, or one without its options',
    // gVisor has no such flags, and its own files in /sys and /proc; the probe `proc` tries to write to them.
    args: inGvisor('nosuid,nodev'),
  },
  { id: 'read-only', tries: 'to write outside of its own directories' },
  // gVisor has a /dev/fuse of its own kernel.
  { id: 'devices', tries: 'to find or make a device', args: inGvisor('fuse') },
  { id: 'descriptors', tries: 'to find a descriptor that was left open' },
  {
    id: 'masks',
    tries: 'to read masked paths of the kernel',
    args: () => MASKED_PATHS,
    exempt: { runsc: 'gVisor masks nothing; the files there are of its own kernel, not of the host' },
  },
  { id: 'proc', tries: 'to open settings of the kernel for writing' },
  // gVisor must be able to read the file that it runs.
  { id: 'init', tries: 'to open, change or look into init', args: inGvisor(INIT_PATH) },
  {
    id: 'environment',
    tries: "to read the worker's environment, or init's",
    judge: ({ output, execution }) => {
      const given = Object.entries(environment(execution, { proxy: false })).map(
        ([name, value]) => `${name}=${value}`,
      )
      const found = output.split('\n').filter((line) => line !== '' && !given.includes(line))
      return found.length > 0 && `found ${found.join(', ')}`
    },
  },
  {
    id: 'host-name',
    tries: "to learn or change the host's name",
    judge: ({ output }) => output.split('\n')[0] !== HOST_NAME && `the host is called ${output}`,
  },
  { id: 'processes', tries: 'to see a process that is not its own', args: () => [process.pid] },
  { id: 'terminal', tries: 'to open a terminal', args: inGvisor('own') },
  { id: 'capabilities', tries: 'to have or gain a privilege' },
  {
    id: 'calls',
    tries: 'system calls that a sandbox refuses',
    // The profile guards the host's kernel, which programs under gVisor do not call.
    args: (_honeypot, _limits, { ownProfile, runtime }) => (ownProfile && !isGvisor(runtime) ? ['ours'] : []),
  },
  { id: 'uncounted', tries: 'to hold memory and filters of the kernel that no limit counts' },
  { id: 'clock', tries: "to set the host's clock" },
  {
    id: 'signals',
    tries: 'to signal init and everyone else',
    judge: ({ outcome, fact }) =>
      (outcome.status !== 'success' || !(fact('alive') > 0)) && `the run ended as ${outcome.status}`,
  },
  {
    id: 'wire',
    tries: "to forge init's report of its end",
    endsAs: ({ exitCode }) => exitCode === 7,
    judge: ({ outcome }) =>
      (outcome.exitCode !== 7 || outcome.stdout.produced === 0) &&
      `exit code ${outcome.exitCode}, ${outcome.status}, instead of 7`,
  },
  {
    id: 'forks',
    tries: 'to start processes without end',
    limits: { processes: 12 },
    args: () => [64],
    judge: ({ fact, execution: { limits }, outcome }) =>
      (!(fact('forked') < limits.processes) || (outcome.processesPeak ?? 0) > limits.processes) &&
      `started ${fact('forked')} processes where ${limits.processes} may be`,
  },
  {
    id: 'memory',
    tries: 'to take more memory than its limit',
    limits: { memoryMb: 32 },
    args: () => [128],
    endsAs: ({ status }) => status === 'memory_exceeded',
    judge: ({ outcome: { memoryPeakBytes } }) =>
      (memoryPeakBytes ?? 0) > 33 * MIB && `took ${memoryPeakBytes} bytes of 32 MiB`,
  },
  {
    id: 'disk',
    tries: 'to fill more of its directories than their size',
    limits: { diskMb: 4, memoryMb: 64 },
    args: () => [SHM_BYTES + MIB],
    judge: ({ fact, execution: { limits }, outcome }) =>
      (!(fact('/workspace') <= workspaceBytes(limits.diskMb)) ||
        !(fact('/tmp') <= tmpBytes(limits.diskMb)) ||
        !(fact('/dev/shm') <= SHM_BYTES)) &&
      `wrote ${fact('/workspace')}, ${fact('/tmp')} and ${fact('/dev/shm')} bytes, ${outcome.status}`,
  },
  {
    id: 'inodes',
    tries: 'to make files without end',
    limits: { diskMb: 4 },
    exempt: { runsc: 'gVisor does not count inodes; the memory limit bounds them' },
    args: () => [2 * inodesOf(SHM_BYTES)],
    judge: ({ fact, execution: { limits } }) =>
      (!(fact('/workspace') <= inodesOf(workspaceBytes(limits.diskMb))) ||
        !(fact('/tmp') <= inodesOf(tmpBytes(limits.diskMb))) ||
        !(fact('/dev/shm') <= inodesOf(SHM_BYTES))) &&
      `made ${fact('/workspace')}, ${fact('/tmp')} and ${fact('/dev/shm')} files`,
  },
  {
    id: 'open-files',
    tries: 'to open files without end',
    limits: { openFiles: 32 },
    args: () => [4096],
    judge: ({ fact, execution: { limits } }) =>
      !(fact('opened') <= limits.openFiles) && `opened ${fact('opened')} where ${limits.openFiles} may be`,
  },
  {
    id: 'limits',
    tries: 'to raise the limits of a process',
    args: () => PROCESS_LIMITS.map(({ resource }) => resource),
    judge: ({ fact, execution: { limits }, outcome }) =>
      differences(fact, {
        core: 0,
        memlock: MEMLOCK_BYTES,
        msgqueue: 0,
        ...Object.fromEntries(
          PROCESS_LIMITS.map(({ name, resource, unit }) => [`rlimit-${resource}`, limits[name] * unit]),
        ),
        // The limits of init itself, which gVisor does not show.
        ...(!isGvisor(outcome.container.runtime) && {
          'init-core': 0,
          'init-nofile': openFilesOf(limits),
        }),
      }),
  },
  {
    id: 'output',
    tries: 'to flood both of its streams',
    limits: { outputBytes: 4096 },
    args: () => [4 * MIB],
    judge: ({ outcome: { stdout, stderr } }) =>
      [stdout, stderr].some(
        ({ bytes, truncated, produced }) => bytes.byteLength > 4096 || !truncated || produced !== 4 * MIB,
      ) &&
      [stdout, stderr].map(({ bytes, produced }) => `${bytes.byteLength} of ${produced} bytes`).join(' and '),
  },
  {
    id: 'cpu',
    tries: 'to use more of the processor than its share',
    limits: { cpus: 0.2 },
    // So many processes that, even on a busy host, they would get more than their share.
    args: () => [16, 1000],
    judge: ({ fact, outcome: { container, cpuUserMs, cpuSysMs, wallMs } }) => {
      const counted = (cpuUserMs ?? 0) + (cpuSysMs ?? 0)
      // gVisor counts by its own clock, which continues while the host makes it wait.
      const used = isGvisor(container.runtime) ? fact('ran') : counted
      return !(used <= 0.2 * (wallMs ?? 0) + 150) && `used ${used} ms of ${wallMs} ms, with a share of 0.2`
    },
  },
  {
    id: 'sleeper',
    tries: 'to stay beyond its time',
    limits: { timeoutSeconds: 0.5 },
    endsAs: ({ status }) => status === 'timeout',
    // The elapsed time does not show it: the worker's timer may end the run a fraction of a millisecond before its limit.
    judge: ({ outcome: { status, cpuUserMs, wallMs } }) =>
      status === 'timeout' &&
      cpuUserMs === null &&
      `stayed for ${wallMs} ms of 500, until the worker ended it`,
  },
  { id: 'core-file', tries: 'to leave a core file' },
]
