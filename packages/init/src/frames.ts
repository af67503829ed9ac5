/** What init read about itself inside the container when it started. What it could not read, or what is unlimited, is null. */
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
  /** Most processes and threads, init among them. */
  readonly pidsMax: number | null
  /** All the memory that the kernel below has; under gVisor that of the sandbox's cgroup, on a host the host's. */
  readonly memoryTotalBytes: number | null
  /** RLIMIT_NPROC, which counts per user and host, so it means something under gVisor only. */
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
  /** Filters around init, which has none of its own: at least the engine's. Kernels from 5.9 on tell. */
  readonly seccompFilters: number | null
  /**
   * All sets of capabilities together, the bounding set among them, as 16 hexadecimal digits; all zeros when all were
   * dropped. The effective set alone is empty for every user but root.
   */
  readonly capabilities: string | null
  readonly uid: number
  readonly gid: number
  /** 1 in a PID namespace of its own, as it should be. */
  readonly pid: number
}

/** What init and the kernel hold a run to, as they told when it had started. */
export interface Started {
  /** Process number of the program inside the container. */
  readonly pid: number
  readonly wallMs: number
  /** 0 for no limit of CPU time. */
  readonly cpuMs: number
  /** Bytes of stdout that are passed on. */
  readonly stdoutLimit: number
  readonly stderrLimit: number
  /** RLIMIT_NOFILE, read back from the kernel before the program ran; null if it could not be read. */
  readonly openFiles: number | null
}

/** One look at a run in progress; about ten a second. */
export interface Sample {
  /** Since the program was started. */
  readonly wallMs: number
  /** CPU time of the whole container since the run began. */
  readonly cpuMs: number
  /** Memory that the cgroup accounts, files in tmpfs among it. */
  readonly memoryBytes: number | null
  /** Processes and threads beside init. */
  readonly processes: number | null
}

/** Why init itself ended a run; `memory` for what sockets hold beyond all that the cgroup counts. */
export type RunLimit = 'timeout' | 'cpu' | 'output' | 'memory'

/** How one run ended, and what it used. */
export interface Done {
  /** Null when a signal ended the program; 127 when `spawnError` is set. */
  readonly exitCode: number | null
  /** Number of the signal that ended the program; {@link signalName} names it. */
  readonly signal: number | null
  readonly wallMs: number
  /** CPU time over the run, of all processes of the container. */
  readonly cpuUserMs: number
  readonly cpuSysMs: number
  /** Largest resident set of the largest single process that was reaped. */
  readonly maxRssBytes: number | null
  /** What the cgroup accounted when the run began. */
  readonly memoryStartBytes: number | null
  /** Peak that the cgroup counted; since the container's start where the kernel cannot reset it. */
  readonly memoryPeakBytes: number | null
  /** Processes that the kernel killed for memory during the run. */
  readonly oomKills: number | null
  /** Most processes and threads beside init that were seen at once. */
  readonly processesPeak: number | null
  /** Forks that the process limit refused during the run. */
  readonly forkFailures: number | null
  /** Time during which the CPU quota held the container back. */
  readonly throttledMs: number | null
  /** All bytes that the program wrote, discarded ones too. */
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly stdoutTruncated: boolean
  readonly stderrTruncated: boolean
  /** Which limit made init end the run; null when it ended by itself or by a kill frame. */
  readonly limit: RunLimit | null
  /** A kill frame ended the run. */
  readonly killed: boolean
  /** Name of the errno when the program could not be started (`ENOENT`, `EACCES`, `E2BIG`…), else null. */
  readonly spawnError: string | null
}

/**
 * At what init failed. After `frame`, `stdin` and `init` it ends itself and everything below it. `confine`: the kernel refused
 * to confine the program, which was not started.
 */
export type FaultPlace = 'frame' | 'put' | 'exec' | 'confine' | 'net' | 'stdin' | 'init'

/** Something that the host asked for and init could not do. */
export interface Fault {
  readonly where: FaultPlace
  /** Name of an errno, for example `ENOSPC`; `ENOTSUPP` when the host has no room for the code of another filter. */
  readonly error: string
}

/** What a reset came to. A container that is not clean must be thrown away. */
export interface Reset {
  readonly clean: boolean
  /** What is left: `processes`, `files`, `ipc`, `sockets`, `unreadable` or the process that forks (`preload`); null when clean. */
  readonly reason: string | null
}

/** What became of a process that was to be started ahead. */
export interface Preloaded {
  /** How long it took until it waited. */
  readonly ms: number
  /** Memory that the cgroup accounts, the waiting process among it. */
  readonly memoryBytes: number | null
  /** Name of an errno if nothing waits; the container is then as it was before. */
  readonly error: string | null
}

/** The snapshot of the workspace, or why there is none. */
export interface SnapshotDone {
  readonly files: number
  /** Memory of the container that they take, names among them. */
  readonly bytes: number
  /** Name of an errno if nothing is kept: `ENOMEM` and `EFBIG` for too much, `EACCES` for what cannot be read. */
  readonly error: string | null
}

/** What befell one stream of a tunnel. Numbers of streams are never used again; the end of the run ends them all. */
export type NetFrame =
  /** The program has connected. */
  | { readonly type: 'netOpen'; readonly stream: number }
  /** Bytes from the program; each takes one of the stream's credit. */
  | { readonly type: 'netData'; readonly stream: number; readonly data: Uint8Array }
  /** The program sends no more; it may still read. */
  | { readonly type: 'netEnd'; readonly stream: number }
  /** The connection is gone, in both directions. */
  | { readonly type: 'netReset'; readonly stream: number }
  /** The program has taken bytes: so many more may be sent. */
  | { readonly type: 'netCredit'; readonly stream: number; readonly bytes: number }

/** One frame from init. */
export type InitFrame =
  | { readonly type: 'ready'; readonly ready: Ready }
  | { readonly type: 'stdout'; readonly data: Uint8Array }
  | { readonly type: 'stderr'; readonly data: Uint8Array }
  | { readonly type: 'started'; readonly started: Started }
  | { readonly type: 'sample'; readonly sample: Sample }
  | { readonly type: 'done'; readonly done: Done }
  | { readonly type: 'file'; readonly status: number; readonly content: Uint8Array }
  | { readonly type: 'fault'; readonly fault: Fault }
  | { readonly type: 'reset'; readonly reset: Reset }
  | { readonly type: 'preloaded'; readonly preloaded: Preloaded }
  | { readonly type: 'snapshotDone'; readonly snapshot: SnapshotDone }
  | NetFrame
