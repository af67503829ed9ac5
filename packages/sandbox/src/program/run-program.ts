import {
  type Done,
  encodeKill,
  encodeStdin,
  encodeStdinEnd,
  type Fault,
  type Started,
  WireError,
} from '@isopod/init'
import { limitNamesOf, RetryableError, TerminalError } from '@isopod/protocol'
import type { OnConnection, OnOutput } from '../contract/execution-options.ts'
import type { StreamOutput } from '../contract/outcome.ts'
import type { PipeEnd } from '../contract/pipe.ts'
import type { Container, ContainerEnd } from '../driver/container.ts'
import { Backstop } from './backstop.ts'
import { OutputCollector } from './output.ts'
import { type ProgramRun, programFrames, stdoutLimitOf } from './program-frames.ts'
import { SampleSummary } from './sample-summary.ts'
import { Tunnel } from './tunnel/tunnel.ts'

const MIB = 1024 * 1024

/**
 * Why there is no report of init: its container ended, it failed after user code had run, or the worker ended the container
 * because init had not done so in time.
 */
export type Loss = ContainerEnd | 'fault' | 'backstop'

/** Report on one process start. Exactly one of `done` and `lost` is set. */
export interface ProgramReport {
  /** Init's report; undefined if the container ended before it. */
  readonly done: Done | undefined
  /** Why init gave no report. */
  readonly lost: Loss | undefined
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  readonly samples: SampleSummary
  /** Memory limit of the run. */
  readonly memoryLimitBytes: number
  /** Milliseconds from the first byte sent until the run was over. */
  readonly elapsedMs: number
}

/** How a program is started. */
export interface RunProgramOptions {
  /** Frames to send in front of the exec frame, in the same write. @default none */
  readonly before?: readonly Uint8Array[]
  /** Frames to send behind the exec frame, in the same write. @default none */
  readonly after?: readonly Uint8Array[]
  /** The program's frames were sent ahead; nothing is sent now, and it has no tunnel. @default false */
  readonly sent?: boolean
  readonly signal: AbortSignal
  /** User code ran in this container before (a compile run) and may have caused an end before the start. */
  readonly afterUserCode?: boolean
  /** The program's other files are laid out already: if one does not fit beside them, its sender caused that. @default false */
  readonly afterFiles?: boolean
  /** The program's stdin and stdout. */
  readonly pipe?: PipeEnd | undefined
  /** Takes the program's connections. @default it has no network */
  readonly onConnection?: OnConnection | undefined
  /** Takes the program's output as soon as it comes, up to the limit. */
  readonly onOutput?: OnOutput | undefined
}

/**
 * Starts one program in a container and waits for the first of: init's report, the container's end, the worker's own deadline
 * after init's, the abort signal.
 *
 * @throws the signal's reason once aborted; {@link TerminalError} if the run is not held to its limits;
 *   {@link RetryableError} if init reports a fault of its own, or the container was gone, before any user code ran; if somebody
 *   else ended the container; and if the worker ended it because its host did not answer
 */
export async function runProgram(
  container: Container,
  program: ProgramRun,
  options: RunProgramOptions,
): Promise<ProgramReport> {
  const { signal, onConnection, onOutput, pipe } = options
  const send = (frame: Uint8Array) => container.send(frame)
  const tunnel = onConnection && new Tunnel({ send, onConnection })
  // Made before `try`, in which an error of the wire counts as one of the container.
  const frames = options.sent ? [] : programFrames(program, tunnel !== undefined)
  const exec = Buffer.concat([...(options.before ?? []), ...frames, ...(options.after ?? [])])
  const started = performance.now()
  const stdout = new OutputCollector(program.channel ? 0 : program.outputBytes)
  const stderr = new OutputCollector(program.outputBytes)
  const samples = new SampleSummary()
  const memoryLimitBytes = program.limits.memoryMb * MIB
  /** Why this function ended the container; the first cause counts, later ones follow from it. */
  let cause: 'aborted' | 'backstop' | undefined
  let held: Started | undefined

  const take = (stream: 'stdout' | 'stderr', collector: OutputCollector, data: Uint8Array) => {
    const kept = collector.push(data)
    if (kept.byteLength > 0) onOutput?.(stream, kept)
  }
  /** Why the run says nothing about its program if the worker ended it. */
  let hostFault: Error | undefined
  const endFor = (reason: 'aborted' | 'backstop') => {
    cause ??= reason
    container.destroy()
  }
  const lostFor = (lost: Loss): ProgramReport => ({
    done: undefined,
    lost,
    stdout: stdout.finish(),
    stderr: stderr.finish(),
    samples,
    memoryLimitBytes,
    elapsedMs: performance.now() - started,
  })
  const onAbort = () => endFor('aborted')
  const backstop = new Backstop(container, program.wallMs, (fault) => {
    hostFault = fault
    endFor('backstop')
  })
  signal.addEventListener('abort', onAbort, { once: true })

  try {
    if (signal.aborted) onAbort()
    if (exec.byteLength > 0) container.send(exec)
    pipe?.open({
      write: (bytes) => sendStdin(container, bytes),
      end: () => container.send(encodeStdinEnd()),
      kill: () => container.send(encodeKill()),
    })
    for (let frame = await container.receive(); frame; frame = await container.receive()) {
      switch (frame.type) {
        case 'stdout':
          take('stdout', stdout, frame.data)
          pipe?.write(frame.data)
          break
        case 'stderr':
          take('stderr', stderr, frame.data)
          break
        case 'sample':
          samples.add(frame.sample)
          break
        case 'done': {
          const { done } = frame
          if (cause === 'aborted') throw signal.reason
          return {
            done,
            lost: undefined,
            stdout: program.channel
              ? stdout.finish()
              : stdout.finish({ produced: done.stdoutBytes, truncated: done.stdoutTruncated }),
            stderr: stderr.finish({ produced: done.stderrBytes, truncated: done.stderrTruncated }),
            samples,
            memoryLimitBytes,
            elapsedMs: performance.now() - started,
          }
        }
        case 'fault':
          // The run does not start, and its `done` follows.
          if (frame.fault.where === 'put' && (options.afterUserCode || options.afterFiles)) break
          if (isOfHost(frame.fault)) {
            throw new RetryableError(
              `the host's kernel has no room for another filter (${frame.fault.error})`,
            )
          }
          if (held === undefined && !options.afterUserCode && !isPortTaken(frame.fault)) {
            throw new RetryableError(`init failed at ${frame.fault.where}: ${frame.fault.error}`)
          }
          // Once user code has run, only user code can cause this: it is classified, not retried.
          return lostFor('fault')
        case 'started':
          held = frame.started
          checkHeld(held, program)
          break
        case 'netOpen':
        case 'netData':
        case 'netEnd':
        case 'netReset':
        case 'netCredit':
          if (tunnel === undefined) throw new WireError(`${frame.type}, and no tunnel was granted`)
          tunnel.take(frame)
          break
        case 'ready':
        case 'file':
        case 'reset':
        case 'preloaded':
        case 'snapshotDone':
          break
        default:
          frame satisfies never
      }
    }
    if (cause === 'aborted') throw signal.reason
    if (hostFault !== undefined) throw hostFault
    // After the worker's own kill the container may be removed already.
    const lost = cause === 'backstop' ? 'backstop' : await container.end()
    // Only a program uses up the memory, in the moment in which init keeps the report of its start.
    if (held === undefined && !options.afterUserCode && lost !== 'memory') {
      throw new RetryableError('the container ended before the program was started')
    }
    return lostFor(lost)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    // No init of ours sends this, so user code controls it; no later frame can be believed.
    container.destroy()
    return lostFor('wire')
  } finally {
    pipe?.end()
    tunnel?.close()
    backstop.stop()
    signal.removeEventListener('abort', onAbort)
  }
}

function sendStdin(container: Container, bytes: Uint8Array): void {
  if (bytes.byteLength > 0) container.send(encodeStdin(bytes))
}

/** The report of a run that did not start. */
export function nothingRan(): ProgramReport {
  const nothing = new OutputCollector(0).finish()
  const samples = new SampleSummary()
  return {
    done: undefined,
    lost: undefined,
    stdout: nothing,
    stderr: nothing,
    samples,
    memoryLimitBytes: 0,
    elapsedMs: 0,
  }
}

/** The memory for filters belongs to the host, and no program can exhaust it. */
function isOfHost({ where, error }: Fault): boolean {
  return where === 'confine' && error === 'ENOTSUPP'
}

/** Only code that ran in the container before can hold the port: a compiler that runs what it compiles. */
function isPortTaken({ where, error }: Fault): boolean {
  return where === 'net' && error === 'EADDRINUSE'
}

/** Compares the limits that init and the kernel apply with those asked for; a difference is a fault of the platform. */
function checkHeld(held: Started, program: ProgramRun): void {
  const pairs: (readonly [string, number | null, number])[] = [
    ['wallMs', held.wallMs, Math.ceil(program.wallMs)],
    ['cpuMs', held.cpuMs, Math.ceil(program.cpuMs ?? 0)],
    ['stdoutLimit', held.stdoutLimit, stdoutLimitOf(program)],
    ['stderrLimit', held.stderrLimit, program.outputBytes],
    ...limitNamesOf('process').map((name) => [name, held.limits[name], program.limits[name]] as const),
  ]
  const wrong = pairs.filter(([, found, wanted]) => found !== wanted)
  if (wrong.length === 0) return
  const differences = wrong.map(([name, found, wanted]) => `${name} is ${found}, wanted ${wanted}`)
  throw new TerminalError(`init and the kernel do not apply the limits asked for: ${differences.join('; ')}`)
}
