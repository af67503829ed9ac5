import type { HeldLimits } from './process-limits.ts'

/** The container's limits and confinement as init reads them from inside; null for unlimited or unreadable. */
export interface Ready {
  /** Version of the wire; see `WIRE_VERSION`. */
  readonly version: number
  /** Which cgroup hierarchy the limits come from; null when none is mounted. */
  readonly cgroup: 1 | 2 | null
  /** Memory limit. */
  readonly memoryBytes: number | null
  /** Limit of memory and swap together, so equal to `memoryBytes` when there is no swap; 0 if there is no limit. */
  readonly memorySwapBytes: number | null
  /** CPU time allowed per period, in microseconds. */
  readonly cpuQuotaUs: number | null
  /** Length of the CPU period, in microseconds. */
  readonly cpuPeriodUs: number | null
  /** Maximum of processes and threads, including init. */
  readonly pidsMax: number | null
  /** All memory of the kernel: the host's, or with gVisor that of the sandbox's cgroup. */
  readonly memoryTotalBytes: number | null
  /** RLIMIT_NPROC. It counts per user and host, so it is useful with gVisor only. */
  readonly processLimit: number | null
  /** Size of the file system under /workspace. */
  readonly workspaceBytes: number | null
  /** Inodes of the file system under /workspace. */
  readonly workspaceInodes: number | null
  /** Size of the file system under /tmp. */
  readonly tmpBytes: number | null
  /** Size of the file system under /dev/shm. */
  readonly shmBytes: number | null
  readonly noNewPrivileges: boolean | null
  /** Seccomp mode from /proc/self/status: 0 none, 2 filter. */
  readonly seccomp: number | null
  /** Seccomp filters that apply to init, which installs none of its own; null before Linux 5.9. */
  readonly seccompFilters: number | null
  /**
   * The union of all capability sets, including the bounding set, as 16 hexadecimal digits; all zeros when all are dropped.
   * The effective set alone is empty for every user but root.
   */
  readonly capabilities: string | null
  readonly uid: number
  readonly gid: number
  /** 1, in a PID namespace of its own. */
  readonly pid: number
}

/** The limits of a run that has started, as init and the kernel apply them. */
export interface Started {
  /** Process number of the program inside the container. */
  readonly pid: number
  readonly wallMs: number
  /** 0 for no limit of CPU time. */
  readonly cpuMs: number
  /** Bytes of stdout that are passed on. */
  readonly stdoutLimit: number
  readonly stderrLimit: number
  /** Limits of each process, read back from the kernel before the program ran. */
  readonly limits: HeldLimits
}

/** A measurement of the current run; about ten a second. */
export interface RunSample {
  /** Since the program was started. */
  readonly wallMs: number
  /** CPU time of the whole container since the run began. */
  readonly cpuMs: number
  /** Memory charged to the cgroup, including files in tmpfs. */
  readonly memoryBytes: number | null
  /** Processes and threads without init. */
  readonly processes: number | null
}

/** Why init ended a run; `memory` for memory of sockets that no cgroup counts. */
export type RunLimit = 'timeout' | 'cpu' | 'output' | 'memory'

/** How a run ended, and what it used. */
export interface Done {
  /** Null when a signal ended the program; 127 when `spawnError` is set. */
  readonly exitCode: number | null
  /** Number of the signal that ended the program; {@link signalName} names it. */
  readonly signal: number | null
  readonly wallMs: number
  /** CPU time over the run, of all processes of the container. */
  readonly cpuUserMs: number
  readonly cpuSysMs: number
  /** Resident set of the largest process. */
  readonly maxRssBytes: number | null
  /** Memory charged to the cgroup when the run began. */
  readonly memoryStartBytes: number | null
  /** Peak of the cgroup during the run; below an earlier run's peak, the largest sample. */
  readonly memoryPeakBytes: number | null
  /** Processes that the OOM killer ended during the run. */
  readonly oomKills: number | null
  /** Peak of processes and threads without init. */
  readonly processesPeak: number | null
  /** Forks that the process limit refused during the run. */
  readonly forkFailures: number | null
  /** Time during which the CPU quota throttled the container. */
  readonly throttledMs: number | null
  /** Bytes that the program wrote, including discarded ones. */
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly stdoutTruncated: boolean
  readonly stderrTruncated: boolean
  /** The limit for which init ended the run; null if it ended by itself or by a kill frame. */
  readonly limit: RunLimit | null
  /** A kill frame ended the run. */
  readonly killed: boolean
  /** Name of the errno when the program could not be started (`ENOENT`, `EACCES`, `E2BIG`…), else null. */
  readonly spawnError: string | null
}

/**
 * Where init failed. After `frame`, `stdin` and `init` it ends itself and all processes. `confine`: the kernel refused to
 * confine the program, which was not started.
 */
export type FaultPlace = 'frame' | 'put' | 'exec' | 'confine' | 'net' | 'stdin' | 'init'

/** A request of the host that init could not carry out. */
export interface Fault {
  readonly where: FaultPlace
  /** Name of an errno, for example `ENOSPC`; `ENOTSUPP` when the host has no memory for another seccomp filter. */
  readonly error: string
}

/** Result of a reset. A container that is not clean must be discarded. */
export interface Reset {
  readonly clean: boolean
  /** What is left: `processes`, `files`, `ipc`, `sockets`, `unreadable`, or a broken zygote (`preload`); null when clean. */
  readonly reason: string | null
}

/** Result of starting a process ahead. */
export interface Preloaded {
  /** Milliseconds until it waited. */
  readonly ms: number
  /** Memory charged to the cgroup, including the waiting process. */
  readonly memoryBytes: number | null
  /** Name of an errno if no process waits; the container is then as it was before. */
  readonly error: string | null
}

/** The snapshot of the workspace, or why there is none. */
export interface SnapshotDone {
  readonly files: number
  /** Memory of the container that they take, including their names. */
  readonly bytes: number
  /** Name of an errno if there is no snapshot: `ENOMEM` and `EFBIG` for too much, `EACCES` for an unreadable file. */
  readonly error: string | null
}

/** An event on one stream of a tunnel. Stream numbers are never reused; the end of the run ends all streams. */
export type NetFrame =
  /** The program has connected. */
  | { readonly type: 'netOpen'; readonly stream: number }
  /** Bytes from the program; each uses one byte of the stream's credit. */
  | { readonly type: 'netData'; readonly stream: number; readonly data: Uint8Array }
  /** The program sends no more; it may still read. */
  | { readonly type: 'netEnd'; readonly stream: number }
  /** The connection is gone, in both directions. */
  | { readonly type: 'netReset'; readonly stream: number }
  /** The program has read bytes: this many more may be sent. */
  | { readonly type: 'netCredit'; readonly stream: number; readonly bytes: number }

/** One frame from init. */
export type InitFrame =
  | { readonly type: 'ready'; readonly ready: Ready }
  | { readonly type: 'stdout'; readonly data: Uint8Array }
  | { readonly type: 'stderr'; readonly data: Uint8Array }
  | { readonly type: 'started'; readonly started: Started }
  | { readonly type: 'sample'; readonly sample: RunSample }
  | { readonly type: 'done'; readonly done: Done }
  | { readonly type: 'file'; readonly status: number; readonly content: Uint8Array }
  | { readonly type: 'fault'; readonly fault: Fault }
  | { readonly type: 'reset'; readonly reset: Reset }
  | { readonly type: 'preloaded'; readonly preloaded: Preloaded }
  | { readonly type: 'snapshotDone'; readonly snapshot: SnapshotDone }
  | NetFrame
