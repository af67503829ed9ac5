const MIB = 1024 * 1024

/** The driver of the workers of all tests: the deployment's setting, passed through. */
export const DRIVER = process.env['ISOPOD_DRIVER'] === 'process' ? 'process' : 'docker'

/** The kernel that programs run on, by the OCI runtime: the deployment's setting, passed through. */
export const RUNTIME = process.env['ISOPOD_RUNTIME'] === 'runsc' ? 'runsc' : 'runc'

/** What results name as their runtime. */
export const RESULT_RUNTIME = DRIVER === 'process' ? 'isopod-spawner' : RUNTIME

/**
 * Whether all attacks are jobs of one batch and share its containers: `TEST_REUSE=batch`. Each job requests this; it is not a
 * setting of the worker.
 */
export const REUSE = process.env['TEST_REUSE'] === 'batch' ? 'batch' : 'never'

/** Expectations that differ under gVisor, with the reason; docs/gvisor.md describes them. */
export const EXPECTED = {
  /** Under gVisor the whole sandbox is killed, including init, so the peak is that of the last sample before. */
  minPeakOfMemoryBomb: under({ runc: 56 * MIB, runsc: 1 }),
  /** gVisor's tmpfs has no maximum number of inodes, so memory or time ends the program. */
  inodeFiller: under<object>({
    runc: { status: 'success', stdout: 'ENOSPC True\n' },
    runsc: { status: 'timeout', attributable: true },
  }),
  /** An empty file system over /proc/1 hides init under gVisor; Linux still shows its name. */
  namesOfProcesses: under({ runc: ['bash', 'init'], runsc: ['bash'] }),
  /** Under gVisor the limit of processes is gVisor's own; the engine's limit counts the host's tasks. */
  moreProcesses: under({ runc: /processes is 199, wanted 100/, runsc: /hostTasks is 200, wanted 660/ }),
  unlimitedProcesses: under({ runc: /processes is .*, wanted 100/, runsc: /hostTasks is 0, wanted 660/ }),
  unlimitedProcessesOfProbes: under({ runc: /processes is 0, wanted/, runsc: /hostTasks is 0, wanted/ }),
  /** Probes that succeed in a container without hardening. gVisor still stops those of network, devices and shared objects. */
  succeedingProbes: under({
    runc: [
      'connections',
      'devices',
      'files',
      'host-name',
      'interfaces',
      'limits',
      'masks',
      'mounts',
      'neighbour',
      'read-only',
      'terminal',
    ],
    runsc: ['files', 'limits', 'mounts', 'neighbour', 'read-only'],
  }),
  /** Number of probes that do not apply to the runtime. */
  exemptProbes: under({ runc: 0, runsc: 2 }),
  /** Calls that the profile blocks and gVisor handles itself, so that none reaches the host. */
  harmlessCalls: [
    'get_mempolicy',
    'set_mempolicy',
    'socket (AF_INET SOCK_DGRAM, IPPROTO_ICMP)',
    'sync',
    'syncfs',
  ],
  /** Under gVisor, terminals, locks and init's file belong to the container's own kernel. */
  sharedThings: under({
    runc: /^aio -1\n(LOCKS 0\n)?$/,
    runsc: /^aio -1\n(OPENED a pseudo terminal\n)?(LOCKS \d+\n)?(OPENED init\n)?$/,
  }),
}

/** Maximum number of the host's tasks for a container with this limit of processes, including init and gVisor's kernel. */
export function hostTasks(processes: number, runtime: string = RUNTIME): number {
  return runtime === 'runsc' ? 256 + 4 * (processes + 1) : processes + 1
}

/** The value for the runtime of this test run. */
export function under<T>(values: { runc: T; runsc: T }): T {
  return values[RUNTIME]
}
