import type { PolicyDecision } from '@isopod/policy'
import { copiedFields, isAttributable, type Job, languageTag, type Result } from '@isopod/protocol'
import type { Execution, Outcome, StreamOutput } from '@isopod/sandbox'

/** What a result contains besides the outcome. */
export interface ResultContext {
  readonly id: string
  readonly attempt: number
  readonly workerId: string
  readonly job: Job
  /** Milliseconds from submit until a worker took the job. */
  readonly queuedMs: number
  readonly policyMs: number
  /** Milliseconds from the time a worker took the job until it had a container, without those of the policy check. */
  readonly acquireMs: number
  readonly decision: PolicyDecision
}

/** The fields of a result about the policy check. */
export function policyPart(decision: PolicyDecision | undefined): Pick<Result, 'policy' | 'warnings'> {
  if (decision === undefined) return { warnings: [] }
  const { policy, checked, warnings } = decision
  return { policy: { ...policy, checked }, warnings: [...warnings] }
}

/** The result of a job that ran. */
export function resultOf(outcome: Outcome, execution: Execution, context: ResultContext): Result {
  const ended = performance.now()
  const stdout = text(outcome.stdout)
  const stderr = text(outcome.stderr)
  const raw = { ...(stdout.raw && { stdout: stdout.raw }), ...(stderr.raw && { stderr: stderr.raw }) }
  const { job } = context
  const missing = missingFiles(outcome, execution)
  return {
    id: context.id,
    status: outcome.status,
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    limit: outcome.limit,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: {
      stdout: outcome.stdout.truncated || stdout.cut,
      stderr: outcome.stderr.truncated || stderr.cut,
    },
    outputBytes: { stdout: outcome.stdout.produced, stderr: outcome.stderr.produced },
    ...(Object.keys(raw).length > 0 && { raw }),
    ...(execution.fetchFiles && { files: filesPart(outcome) }),
    ...(outcome.compileOutput !== undefined && { compileOutput: outcome.compileOutput }),
    wallMs: outcome.wallMs,
    cpuUserMs: outcome.cpuUserMs,
    cpuSysMs: outcome.cpuSysMs,
    memoryPeakBytes: outcome.memoryPeakBytes,
    processesPeak: outcome.processesPeak,
    throttledMs: outcome.throttledMs,
    resourceUsage: outcome.resourceUsage && rounded(outcome.resourceUsage),
    limitsApplied: outcome.limitsApplied,
    timings: rounded({
      queued: context.queuedMs,
      policy: context.policyMs,
      ...outcome.timings,
      acquire: context.acquireMs,
      publish: performance.now() - ended,
    }),
    ...policyPart(context.decision),
    ...(missing.length > 0 && { warnings: [...policyPart(context.decision).warnings, ...missing] }),
    validationErrors: [],
    errorMessage: outcome.errorMessage,
    attributable: isAttributable(outcome.status),
    attempt: context.attempt,
    workerId: context.workerId,
    language: languageTag(execution.language),
    imageDigest: outcome.container.imageDigest,
    runtime: outcome.container.runtime,
    isolation: { runtime: outcome.container.runtime, ...outcome.container.isolation },
    containerOrigin: outcome.container.origin,
    preloaded: outcome.container.preloaded,
    ...copiedFields(job),
  }
}

function filesPart({ files = new Map() }: Outcome): NonNullable<Result['files']> {
  const entries = [...files].map(([path, bytes]) => {
    return [path, { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' as const }] as const
  })
  return Object.fromEntries(entries)
}

function missingFiles({ files }: Outcome, { fetchFiles = [] }: Execution): string[] {
  return fetchFiles
    .filter((path) => files?.has(path) !== true)
    .map((path) => `fetchFiles: ${JSON.stringify(path)} was not left as a file, or is too large`)
}

/** The same numbers without the noise of floating point: microseconds, and millionths of the larger units. */
function rounded<T extends Readonly<Record<string, number>>>(numbers: T): T {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, Math.round(value * 1e6) / 1e6]),
  ) as T
}

/** Largest stream as JSON: one of 10 MiB of ordinary text fits. */
const MAX_JSON_BYTES = 12 * 1024 * 1024
/** Maximum bytes of a stream that is not text; a result contains such a stream twice. */
const MAX_RAW_BYTES = 4 * 1024 * 1024

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

interface Text {
  readonly text: string
  /** Base64 of bytes that are not text. */
  readonly raw?: string
  /** Whether the result contains less than the sandbox kept. */
  readonly cut: boolean
}

/** Bytes as text; those that are not valid UTF-8 are kept in base64 beside it. What would be too large as JSON is cut. */
function text(stream: StreamOutput): Text {
  const bytes = stream.truncated ? withoutCutCharacter(stream.bytes) : stream.bytes
  try {
    return fitted(strict.decode(bytes))
  } catch {
    const kept = stream.bytes.subarray(0, MAX_RAW_BYTES)
    const shown = fitted(lenient.decode(kept))
    const cut = shown.cut || kept.byteLength < stream.bytes.byteLength
    return { ...shown, raw: Buffer.from(kept).toString('base64'), cut }
  }
}

/**
 * Cuts a text whose JSON would be too large: a control character takes six bytes there. Clients and gateways hold results
 * in memory, as JSON too.
 */
function fitted(whole: string): Text {
  if (whole.length * 6 <= MAX_JSON_BYTES) return { text: whole, cut: false }
  const size = Buffer.byteLength(JSON.stringify(whole))
  if (size <= MAX_JSON_BYTES) return { text: whole, cut: false }
  // As if every character took six bytes, so that one cut is enough.
  return { text: whole.slice(0, Math.floor(MAX_JSON_BYTES / 6)), cut: true }
}

/** Drops the last character if the limit cut through its bytes: the program wrote it whole. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}
