import { type Done, signalName } from '@isopod/init'
import { type LimitName, type Limits, RetryableError } from '@isopod/protocol'
import type { RunStatus } from '../contract/outcome.ts'
import { ImageFaultError } from '../driver/faults.ts'
import type { ProgramReport } from './run-program.ts'

const MIB = 1024 * 1024
/** Tolerance between a program's end and init's report of it, in milliseconds. */
const SLACK_MS = 100
/** Maximum memory that the kernel requests at once: two huge pages. */
const LARGEST_REQUEST_BYTES = 4 * MIB

/** Init's error for a program whose files could not be written. */
const FILES_NOT_WRITTEN = 'ECANCELED'

/** How a run ended: its status, and one sentence about it. */
export interface RunEnd {
  readonly status: RunStatus
  readonly exitCode: number | null
  readonly signal: string | null
  readonly limit: LimitName | null
  readonly errorMessage: string | null
}

/**
 * Classifies the end of a run. An out-of-memory kill outranks the rest: everything after it happened to a program that had
 * lost one of its processes.
 *
 * @param program argv[0] of the run; if the image lacks it, that is the catalogue's fault
 * @param wallMs time limit of the run, if its job had less time left than its own limit
 * @param timeoutFactor the language's, which `limits.timeoutSeconds` includes
 * @throws {ImageFaultError} when the image has no such program; {@link RetryableError} when the program was ended because its
 *   host ran out of memory
 */
export function classifyRun(
  report: ProgramReport,
  limits: Limits,
  program: string,
  wallMs: number = limits.timeoutSeconds * 1000,
  timeoutFactor = 1,
): RunEnd {
  const { done, lost } = report
  const isJobOver = wallMs < limits.timeoutSeconds * 1000
  const timedOut = () => (isJobOver ? jobTimedOut(limits) : ownTimedOut(limits, timeoutFactor))
  if (done === undefined) return classifyLoss(lost, limits, timedOut)
  if (done.spawnError === FILES_NOT_WRITTEN) return filesNotWritten(limits)
  if (done.spawnError !== null && !program.startsWith('./')) {
    const publicMessage = `${program} cannot be started in this image`
    throw new ImageFaultError(`${publicMessage} (${done.spawnError})`, { publicMessage })
  }
  const { exitCode } = done
  const signal = done.signal === null ? null : signalName(done.signal)
  if (done.oomKills !== null && done.oomKills > 0) {
    if (isFarBelow(done.memoryPeakBytes, limits)) {
      // The container was far below its limit, so its host ran out of memory.
      throw new RetryableError('the host ran out of memory and the kernel ended the program')
    }
    return { ...memoryExceeded(limits), exitCode, signal }
  }
  switch (done.limit) {
    case 'timeout':
      return { ...timedOut(), exitCode, signal }
    case 'cpu':
      return { ...usedUpCpu(limits), exitCode, signal }
    case 'output':
      return { ...outputExceeded(limits), exitCode, signal }
    case 'memory':
      return { ...memoryExceeded(limits), exitCode, signal }
    case null:
      break
    default:
      done.limit satisfies never
  }
  const exceeded = limitExceededUnnoticed(done, limits, wallMs)
  if (exceeded === 'timeout') return { ...timedOut(), exitCode, signal }
  if (exceeded === 'cpu') return { ...usedUpCpu(limits), exitCode, signal }
  if (exitCode === 0) return { status: 'success', exitCode, signal: null, limit: null, errorMessage: null }
  const errorMessage =
    done.spawnError !== null
      ? `Program could not be started (${done.spawnError})`
      : signal === null
        ? `Program exited with code ${exitCode}`
        : `Program was ended by ${signal}`
  return { status: 'execution_error', exitCode, signal, limit: null, errorMessage }
}

/** The files of a run do not fit beside what earlier runs have left. */
function filesNotWritten({ memoryMb, diskMb }: Limits): RunEnd {
  const errorMessage = `The files of this run do not fit beside those of the program into ${diskMb} MB of disk and ${memoryMb} MB of memory`
  return { status: 'execution_error', exitCode: null, signal: null, limit: null, errorMessage }
}

/** A run without a report of init, for which only the program can be the cause. */
function classifyLoss(
  lost: ProgramReport['lost'],
  limits: Limits,
  timedOut: () => ReturnType<typeof ownTimedOut | typeof jobTimedOut>,
): RunEnd {
  const exitCode = null
  const signal = 'SIGKILL'
  if (lost === 'memory') return { ...memoryExceeded(limits), exitCode, signal }
  if (lost === 'backstop') return { ...timedOut(), exitCode, signal }
  const errorMessage = 'Program ended its own sandbox'
  return { status: 'execution_error', exitCode, signal, limit: null, errorMessage }
}

/** Whether the peak is too low for a kill at the container's own limit: such a peak can lack only the last, refused request. */
function isFarBelow(peakBytes: number | null, limits: Limits): boolean {
  return peakBytes !== null && peakBytes < 0.9 * limits.memoryMb * MIB - LARGEST_REQUEST_BYTES
}

function memoryExceeded(limits: Limits) {
  const errorMessage = `Execution exceeded its memory limit of ${limits.memoryMb} MB`
  return { status: 'memory_exceeded', limit: 'memory', errorMessage } as const
}

/**
 * The limit that a program had exceeded when it ended by itself. A program that uses up its container's CPU quota delays init
 * as well, which then sees the end before it sees the clock; the measurements still show it.
 */
function limitExceededUnnoticed(done: Done, limits: Limits, wallMs: number): 'timeout' | 'cpu' | undefined {
  if (done.wallMs > wallMs + SLACK_MS) return 'timeout'
  const cpuMs = done.cpuUserMs + done.cpuSysMs
  if (limits.cpuSeconds !== null && cpuMs > limits.cpuSeconds * 1000 + SLACK_MS) return 'cpu'
  return undefined
}

function usedUpCpu(limits: Limits) {
  const errorMessage = `Execution used up its ${seconds(limits.cpuSeconds ?? 0)} of CPU time`
  return { status: 'timeout', limit: 'cpu', errorMessage } as const
}

function ownTimedOut({ timeoutSeconds }: Limits, factor: number) {
  const how =
    factor === 1
      ? ''
      : ` (limits.timeoutSeconds is ${rounded(timeoutSeconds / factor)}, the language's timeout factor ${factor})`
  const errorMessage = `Execution timed out after ${seconds(timeoutSeconds)}${how}`
  return { status: 'timeout', limit: 'timeout', errorMessage } as const
}

/** The end of a run that printed too much. */
export function outputExceeded({ outputBytes }: Pick<Limits, 'outputBytes'>) {
  const errorMessage = `Execution printed more than ${outputBytes} bytes`
  return { status: 'output_exceeded', limit: 'output', errorMessage } as const
}

/** The end of a job that has used up its time over all runs. */
export function jobTimedOut({ jobSeconds }: Pick<Limits, 'jobSeconds'>) {
  const errorMessage = `The whole job used up its ${seconds(jobSeconds)} (limits.jobSeconds)`
  return { status: 'timeout', limit: 'job', errorMessage } as const
}

function seconds(value: number): string {
  return value === 1 ? '1 second' : `${rounded(value)} seconds`
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
