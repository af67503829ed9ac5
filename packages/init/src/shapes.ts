import type { Done, Fault, Preloaded, Ready, Reset, RunSample, SnapshotDone, Started } from './frames.ts'
import { heldLimits } from './process-limits.ts'
import { MAX_PROCESS_LIMITS, WireError } from './wire.ts'

type Check<T> = (value: unknown) => value is T
type Shape<T> = { readonly [Field in keyof T]-?: Check<T[Field]> }

/** Builds the reader of a JSON payload, which throws a {@link WireError} unless it has exactly the fields of `shape`. */
function reader<T extends object>(name: string, shape: Shape<T>): (payload: Uint8Array) => T {
  // The keys of the shape are exactly the fields of T.
  const fields = Object.keys(shape) as (keyof T & string)[]
  const check: (value: object) => asserts value is T = (value) => {
    for (const field of fields) {
      if (!Object.hasOwn(value, field)) throw new WireError(`${name} frame: field ${field} is missing`)
      if (!shape[field](Reflect.get(value, field))) throw new WireError(`${name} frame: bad field ${field}`)
    }
    if (Object.keys(value).length !== fields.length) throw new WireError(`${name} frame: unknown field`)
  }
  return (payload) => {
    const value = parse(name, payload)
    check(value)
    return value
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function parse(name: string, payload: Uint8Array): object {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(payload))
  } catch (cause) {
    throw new WireError(`${name} frame: payload is not JSON`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WireError(`${name} frame: payload is not an object`)
  }
  return value
}

const whole: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const amount: Check<number> = (value): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
const flag: Check<boolean> = (value): value is boolean => typeof value === 'boolean'
const errno: Check<string> = (value): value is string =>
  typeof value === 'string' && /^E[A-Z0-9]{1,20}$/.test(value)
const capabilities: Check<string> = (value): value is string =>
  typeof value === 'string' && /^[0-9a-f]{16}$/.test(value)

function orNull<T>(check: Check<T>): Check<T | null> {
  return (value): value is T | null => value === null || check(value)
}

function oneOf<const T extends readonly (string | number)[]>(...values: T): Check<T[number]> {
  return (value): value is T[number] => values.some((known) => known === value)
}

const nullableWhole = orNull(whole)

/** Reads the payload of a ready frame. */
export const readReady = reader<Ready>('ready', {
  version: whole,
  cgroup: orNull(oneOf(1, 2)),
  memoryBytes: nullableWhole,
  memorySwapBytes: nullableWhole,
  cpuQuotaUs: nullableWhole,
  cpuPeriodUs: nullableWhole,
  pidsMax: nullableWhole,
  memoryTotalBytes: nullableWhole,
  processLimit: nullableWhole,
  workspaceBytes: nullableWhole,
  workspaceInodes: nullableWhole,
  tmpBytes: nullableWhole,
  shmBytes: nullableWhole,
  noNewPrivileges: orNull(flag),
  seccomp: nullableWhole,
  seccompFilters: nullableWhole,
  capabilities: orNull(capabilities),
  uid: whole,
  gid: whole,
  pid: whole,
})

type StartedPayload = Omit<Started, 'limits'> & { readonly limits: readonly (number | null)[] }

const heldValues: Check<readonly (number | null)[]> = (value): value is (number | null)[] =>
  Array.isArray(value) && value.length <= MAX_PROCESS_LIMITS && value.every(nullableWhole)

const readStartedPayload = reader<StartedPayload>('started', {
  pid: whole,
  wallMs: amount,
  cpuMs: amount,
  stdoutLimit: whole,
  stderrLimit: whole,
  limits: heldValues,
})

/** Reads the payload of a started frame. */
export function readStarted(payload: Uint8Array): Started {
  const started = readStartedPayload(payload)
  return { ...started, limits: heldLimits(started.limits) }
}

/** Reads the payload of a sample frame. */
export const readSample = reader<RunSample>('sample', {
  wallMs: amount,
  cpuMs: amount,
  memoryBytes: nullableWhole,
  processes: nullableWhole,
})

/** Reads the payload of a done frame. */
export const readDone = reader<Done>('done', {
  exitCode: nullableWhole,
  signal: nullableWhole,
  wallMs: amount,
  cpuUserMs: amount,
  cpuSysMs: amount,
  maxRssBytes: nullableWhole,
  memoryStartBytes: nullableWhole,
  memoryPeakBytes: nullableWhole,
  oomKills: nullableWhole,
  processesPeak: nullableWhole,
  forkFailures: nullableWhole,
  throttledMs: orNull(amount),
  stdoutBytes: whole,
  stderrBytes: whole,
  stdoutTruncated: flag,
  stderrTruncated: flag,
  limit: orNull(oneOf('timeout', 'cpu', 'output', 'memory')),
  killed: flag,
  spawnError: orNull(errno),
})

/** Reads the payload of a fault frame. */
export const readFault = reader<Fault>('fault', {
  where: oneOf('frame', 'put', 'exec', 'confine', 'net', 'stdin', 'init'),
  error: errno,
})

/** Reads the payload of a reset frame. */
export const readReset = reader<Reset>('reset', {
  clean: flag,
  reason: orNull(oneOf('processes', 'files', 'ipc', 'sockets', 'preload', 'unreadable')),
})

/** Reads the payload of a preloaded frame. */
export const readPreloaded = reader<Preloaded>('preloaded', {
  ms: amount,
  memoryBytes: nullableWhole,
  error: orNull(errno),
})

/** Reads the payload of a snapshot-done frame. */
export const readSnapshotDone = reader<SnapshotDone>('snapshotDone', {
  files: whole,
  bytes: whole,
  error: orNull(errno),
})
