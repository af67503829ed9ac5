import { isGvisor } from '@isopod/protocol'
import type { ContainerCreateOptions } from 'dockerode'
import {
  gvisorTasks,
  HOST_NAME,
  INIT_DIRECTORY,
  INIT_PATH,
  inodesOf,
  MASKED_PATHS,
  MEMLOCK_BYTES,
  openFilesOf,
  READONLY_PATHS,
  SHM_BYTES,
  tmpBytes,
  WORKSPACE,
  workspaceBytes,
} from '../driver/confinement.ts'
import type { ChangeableLimits, ContainerLimits } from '../driver/container-kind.ts'
import type { User } from '../driver/users.ts'

const MIB = 1024 * 1024

/** The kernel's metrics of ended connections would outlast a reset, in one table for all containers. */
const NO_TCP_METRICS = { 'net.ipv4.tcp_no_metrics_save': '1' }

/** How fast a container may read from a disk of the engine's host. */
export interface DiskReadLimit {
  /** Path of the whole disk, as the kernel cannot limit a partition: `/dev/sda`. */
  readonly device: string
  readonly bytesPerSecond: number
}

/** Everything that decides how a container is made. */
export interface ContainerPlan {
  readonly limits: ContainerLimits
  /** An interpreter stays beside the program, to fork. @default false */
  readonly forks?: boolean | undefined
  /** Content digest of the image: a tag could move between the look-up and the creation. */
  readonly image: string
  readonly user: User
  /** Files of the image that init opens at its start. */
  readonly opens: readonly string[]
  /** Name of the volume that holds init. */
  readonly initVolume: string
  /** Seccomp profile as JSON. */
  readonly seccomp: string
  /** Name of an AppArmor profile that the host has loaded. @default the engine's own, where the host has AppArmor */
  readonly appArmor?: string | undefined
  /** @default as much as the disk gives */
  readonly diskReads?: DiskReadLimit | undefined
  /** OCI runtime. */
  readonly runtime: string
  readonly labels: Readonly<Record<string, string>>
}

/** The container that confines one execution: a pure function, so that each flag can be asserted without an engine. */
export function containerOptions(plan: ContainerPlan): ContainerCreateOptions {
  const { limits, user } = plan
  return {
    Image: plan.image,
    // Our PID 1, not the image's: it starts the program later, inside everything below.
    Entrypoint: [INIT_PATH],
    // Files that it opens ahead, so that the program finds them faster.
    Cmd: [...plan.opens],
    // An id that owns no file of any image, and that no other container of this worker has while there are enough.
    User: `${user.uid}:${user.gid}`,
    // Set, so that an image's own is not created; each run names its directory.
    WorkingDir: '/',
    // The program's environment is built from nothing by the worker; init needs none.
    Env: [],
    // The same name everywhere, so that a program learns nothing about host or container.
    Hostname: HOST_NAME,
    // The wire: frames in on stdin, frames out on stdout.
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // When the worker's connection ends, init reads end of file and ends everything: no orphan runs on.
    StdinOnce: true,
    // A terminal would merge the streams and interpret control sequences of the program.
    Tty: false,
    // An image's own health check would run a process of the image beside the program.
    Healthcheck: { Test: ['NONE'] },
    // Without this, the engine would start a process for each container to set up its network, although there is nothing to
    // connect; that is half of the start time. The runtime still makes the namespace and its loopback.
    NetworkDisabled: true,
    Labels: { ...plan.labels },
    HostConfig: {
      // No interface but loopback.
      NetworkMode: 'none',
      // The program cannot change its own runtime, nor fill the host's disk.
      ReadonlyRootfs: true,
      // Not one capability, not even those of Docker's default set.
      CapDrop: ['ALL'],
      Privileged: false,
      SecurityOpt: [
        // A setuid binary in an image gives no privilege.
        'no-new-privileges:true',
        // The engine's own profile allows calls that no program here needs, and is slower to load.
        `seccomp=${plan.seccomp}`,
        // Refuses by path what no mount can cover: files of a process in /proc.
        ...(plan.appArmor === undefined ? [] : [`apparmor=${plan.appArmor}`]),
      ],
      ...changeableOptions(limits, plan.runtime, plan.forks),
      ...diskReadOptions(plan),
      // The kernel kills a process when the memory is used up; otherwise the container would hang.
      OomKillDisable: false,
      Ulimits: [
        // No core files, whatever the image's limits say.
        { Name: 'core', Soft: 0, Hard: 0 },
        // The upper bound; each run gets its own from init.
        { Name: 'nofile', Soft: openFilesOf(limits), Hard: openFilesOf(limits) },
        // Enough for init to keep its own text in memory; a locked page counts against the memory limit like any other.
        { Name: 'memlock', Soft: MEMLOCK_BYTES, Hard: MEMLOCK_BYTES },
        // POSIX queues are accounted per user id, which containers of several workers may share.
        { Name: 'msgqueue', Soft: 0, Hard: 0 },
        ...processLimit(plan),
      ],
      Tmpfs: {
        [WORKSPACE]: tmpfs(workspaceBytes(limits.diskMb), user, 'exec'),
        '/tmp': tmpfs(tmpBytes(limits.diskMb), user, 'exec'),
        '/dev/shm': tmpfs(SHM_BYTES, user, 'noexec'),
      },
      Mounts: [
        {
          Type: 'volume',
          Source: plan.initVolume,
          Target: INIT_DIRECTORY,
          ReadOnly: true,
          // The image's own files below this path, if any, must not end up in the shared volume.
          VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } },
        },
      ],
      // Paths that are covered: the engine's own list, which a list of ours replaces, and what containers share.
      MaskedPaths: [...MASKED_PATHS],
      // Settings of the kernel, and the container's own cgroup: a list of ours replaces the engine's here too.
      ReadonlyPaths: [...READONLY_PATHS],
      // An IPC namespace of its own; `none` rather than `private` because /dev/shm is one of our sized tmpfs above.
      IpcMode: 'none',
      // gVisor has a network of its own, and no such setting.
      ...(isGvisor(plan.runtime) ? {} : { Sysctls: { ...NO_TCP_METRICS } }),
      // The json-file log would let a program fill the host's disk with its output.
      LogConfig: { Type: 'none', Config: {} },
      // Removal is ours, after the outcome is known; the engine's would race with reading it.
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      Runtime: plan.runtime,
    },
  }
}

/** Processes of a container beside the program's: init, and the interpreter that forks. */
function ownProcesses(forks: boolean | undefined): number {
  return forks ? 2 : 1
}

/**
 * Options that the engine can change while a container runs: the same at its creation and later.
 *
 * @param forks whether an interpreter stays in it, to fork
 */
export function changeableOptions(
  { memoryMb, cpus, processes }: ChangeableLimits,
  runtime: string,
  forks: boolean | undefined,
) {
  return {
    // Memory and swap together: equal means no swap.
    Memory: memoryMb * MIB,
    MemorySwap: memoryMb * MIB,
    NanoCpus: Math.round(cpus * 1e9),
    // The maximum number of tasks on the host.
    PidsLimit: isGvisor(runtime) ? gvisorTasks(processes) : processes + ownProcesses(forks),
  }
}

/** A program writes to memory only, but it can read files of its image from the disk that all jobs share. */
function diskReadOptions({ diskReads }: ContainerPlan) {
  if (diskReads === undefined) return {}
  return { BlkioDeviceReadBps: [{ Path: diskReads.device, Rate: diskReads.bytesPerSecond }] }
}

/** gVisor counts processes and threads by this limit, inside; Linux counts all processes of the user on the host by it. */
function processLimit(plan: ContainerPlan) {
  const { limits, runtime, forks } = plan
  const tasks = limits.processes + ownProcesses(forks)
  return isGvisor(runtime) ? [{ Name: 'nproc', Soft: tasks, Hard: tasks }] : []
}

function tmpfs(bytes: number, user: { uid: number; gid: number }, exec: 'exec' | 'noexec'): string {
  const owner = `uid=${user.uid},gid=${user.gid},mode=0700`
  return `rw,nosuid,nodev,${exec},size=${bytes},nr_inodes=${inodesOf(bytes)},${owner}`
}
