const MIB = 1024 * 1024

/** The OCI runtime under which the workers of all tests run: the deployment's setting, passed through. */
export const RUNTIME = process.env['ISOPOD_RUNTIME'] === 'runsc' ? 'runsc' : 'runc'

/**
 * Whether the attacks are jobs of one batch, which follow each other in its containers: `TEST_REUSE=batch`. Not a setting of
 * the worker's: each job asks for it.
 */
export const REUSE = process.env['TEST_REUSE'] === 'batch' ? 'batch' : 'never'

/** Everything that tests expect otherwise under gVisor, with its reason; docs/gvisor.md says the same to people. */
export const EXPECTED = {
  /** The whole sandbox is killed, init too: what is left of the peak is the last sample before. */
  leastPeakOfMemoryBomb: under({ runc: 56 * MIB, runsc: 1 }),
  /** gVisor's tmpfs has a size and no number of inodes: memory and time are what ends a filler. */
  inodeFiller: under<object>({
    runc: { status: 'success', stdout: 'ENOSPC True\n' },
    runsc: { status: 'timeout', attributable: true },
  }),
  /** An empty file system is mounted over /proc/1; Linux shows its name. */
  namesOfProcesses: under({ runc: ['bash', 'init'], runsc: ['bash'] }),
  /** gVisor counts by a limit of its own, and the engine's stands behind it. */
  moreProcesses: under({ runc: /processes is 199, wanted 100/, runsc: /hostTasks is 200, wanted 660/ }),
  unlimitedProcesses: under({ runc: /processes is .*, wanted 100/, runsc: /hostTasks is 0, wanted 660/ }),
  unlimitedProcessesOfProbes: under({ runc: /processes is 0, wanted/, runsc: /hostTasks is 0, wanted/ }),
  /** Probes that succeed in a container without its walls; those of the host's network, devices and objects are gVisor's. */
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
  /** Probes of the self-test that make no sense. */
  exemptProbes: under({ runc: 0, runsc: 2 }),
  /** Calls that the profile refuses and gVisor answers by itself: none of them reaches the host. */
  harmlessCalls: [
    'get_mempolicy',
    'set_mempolicy',
    'socket (AF_INET SOCK_DGRAM, IPPROTO_ICMP)',
    'sync',
    'syncfs',
  ],
  /** Terminals, locks and init's file are those of a kernel that no other container has. */
  sharedThings: under({
    runc: /^aio -1\n(LOCKS 0\n)?$/,
    runsc: /^aio -1\n(OPENED a pseudo terminal\n)?(LOCKS \d+\n)?(OPENED init\n)?$/,
  }),
}

/** Tasks of the host that a container with so many processes may have: init is one, and gVisor has a kernel to run. */
export function hostTasks(processes: number, runtime: string = RUNTIME): number {
  return runtime === 'runsc' ? 256 + 4 * (processes + 1) : processes + 1
}

export function under<T>(values: { runc: T; runsc: T }): T {
  return values[RUNTIME]
}
