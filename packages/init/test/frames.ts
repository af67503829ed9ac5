import { PROCESS_LIMITS } from '../src/process-limits.ts'
import { WIRE } from '../src/wire.ts'
import { sampleLimits } from './samples.ts'

/** A frame of init as bytes. */
export function frame(type: number, payload: Uint8Array | string | object): Buffer {
  const bytes =
    payload instanceof Uint8Array
      ? payload
      : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const header = Buffer.alloc(5)
  header.writeUInt8(type)
  header.writeUInt32LE(bytes.byteLength, 1)
  return Buffer.concat([header, bytes])
}

export const READY = {
  version: 1,
  cgroup: 2,
  memoryBytes: 268435456,
  memorySwapBytes: 268435456,
  cpuQuotaUs: 50000,
  cpuPeriodUs: 100000,
  pidsMax: 101,
  memoryTotalBytes: 16 * 1024 ** 3,
  processLimit: null,
  workspaceBytes: 67108864,
  workspaceInodes: null,
  tmpBytes: 67108864,
  shmBytes: null,
  noNewPrivileges: true,
  seccomp: 2,
  seccompFilters: 1,
  capabilities: '0000000000000000',
  uid: 65534,
  gid: 65534,
  pid: 1,
} as const

export const SAMPLE = { wallMs: 100.5, cpuMs: 42.125, memoryBytes: 1000, processes: 2 } as const

export const DONE = {
  exitCode: 0,
  signal: null,
  wallMs: 12.25,
  cpuUserMs: 10,
  cpuSysMs: 1.5,
  maxRssBytes: 9000000,
  memoryStartBytes: 500000,
  memoryPeakBytes: 10000000,
  oomKills: 0,
  processesPeak: 1,
  forkFailures: 0,
  throttledMs: null,
  stdoutBytes: 5,
  stderrBytes: 0,
  stdoutTruncated: false,
  stderrTruncated: false,
  limit: null,
  killed: false,
  spawnError: null,
} as const

const PRELOADED = { ms: 12.5, memoryBytes: 4096, error: null }
const RUN = { pid: 2, wallMs: 5000, cpuMs: 0, stdoutLimit: 10, stderrLimit: 20 }
const STARTED = { ...RUN, limits: PROCESS_LIMITS.map(({ unit }) => 256 * unit) }

/** A frame of each type and its decoded form. */
export const EXAMPLES = [
  [frame(WIRE.ready, READY), { type: 'ready', ready: READY }],
  [frame(WIRE.stdout, Buffer.from('out')), { type: 'stdout', data: Buffer.from('out') }],
  [frame(WIRE.stderr, Buffer.alloc(0)), { type: 'stderr', data: Buffer.alloc(0) }],
  [frame(WIRE.started, STARTED), { type: 'started', started: { ...RUN, limits: sampleLimits() } }],
  [frame(WIRE.sample, SAMPLE), { type: 'sample', sample: SAMPLE }],
  [frame(WIRE.done, DONE), { type: 'done', done: DONE }],
  [frame(WIRE.file, Buffer.from([0, 1, 2])), { type: 'file', status: 0, content: Buffer.from([1, 2]) }],
  [
    frame(WIRE.fault, { where: 'put', error: 'ENOSPC' }),
    { type: 'fault', fault: { where: 'put', error: 'ENOSPC' } },
  ],
  [
    frame(WIRE.resetDone, { clean: true, reason: null }),
    { type: 'reset', reset: { clean: true, reason: null } },
  ],
  [frame(WIRE.preloaded, PRELOADED), { type: 'preloaded', preloaded: PRELOADED }],
  [
    frame(WIRE.snapshotDone, { files: 2, bytes: 100, error: null }),
    { type: 'snapshotDone', snapshot: { files: 2, bytes: 100, error: null } },
  ],
  [frame(WIRE.netOpen, Buffer.from([7, 1, 0, 0])), { type: 'netOpen', stream: 263 }],
  [
    frame(WIRE.netData, Buffer.from([7, 0, 0, 0, 1, 2])),
    { type: 'netData', stream: 7, data: Buffer.from([1, 2]) },
  ],
  [frame(WIRE.netEnd, Buffer.from([7, 0, 0, 0])), { type: 'netEnd', stream: 7 }],
  [frame(WIRE.netReset, Buffer.from([7, 0, 0, 0])), { type: 'netReset', stream: 7 }],
  [
    frame(WIRE.netCredit, Buffer.from([7, 0, 0, 0, 0, 64, 0, 0])),
    { type: 'netCredit', stream: 7, bytes: 16_384 },
  ],
] as const
