import { type Done, encodeExec, encodeStdin, encodeStdinEnd, type Sample, type Started } from '@isopod/init'
import { RetryableError, TerminalError } from '@isopod/protocol'
import type { Container, ContainerEnd } from './container.ts'
import { FirstCause } from './first-cause.ts'
import { OutputCollector } from './output.ts'
import type { StreamOutput } from './sandbox.ts'
import { WORKSPACE } from './workspace.ts'

/** How long the worker waits beyond the wall-clock limit for init to say that it ended the program, in milliseconds. */
const BACKSTOP_MS = 5_000
const STDIN_CHUNK_BYTES = 64 * 1024

/** One process start inside a container. */
export interface ProgramRun {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly wallMs: number
  /** CPU milliseconds of all processes together; null for no such limit. */
  readonly cpuMs: number | null
  readonly outputBytes: number
  readonly killOnOverflow: boolean
  readonly openFiles: number
  readonly stdin: string | undefined
}

/** What came of one process start. Exactly one of `done` and `ended` is there. */
export interface ProgramReport {
  /** Init's own account; undefined if the container ended before init could give one. */
  readonly done: Done | undefined
  /** How the container ended when init gave no account. */
  readonly ended: (ContainerEnd & { readonly backstop: boolean }) | undefined
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  readonly samples: readonly Sample[]
  /** Milliseconds from the first byte sent until the run was over. */
  readonly elapsedMs: number
}

/**
 * Starts one program in a container and waits until it is over, whichever way: init's report, the container's end,
 * the worker's own deadline behind init's, or the abort signal.
 *
 * @param before frames to lay in front of the exec frame; everything goes out in one write
 * @throws the signal's reason once aborted; {@link TerminalError} if the run is not held to its limits; {@link RetryableError} if init reports a fault of its own, or the container
 *   was gone before any user code ran
 */
export async function runProgram(
  container: Container,
  program: ProgramRun,
  options: { before?: readonly Uint8Array[]; signal: AbortSignal },
): Promise<ProgramReport> {
  const { signal } = options
  const started = performance.now()
  const stdout = new OutputCollector(program.outputBytes)
  const stderr = new OutputCollector(program.outputBytes)
  const samples: Sample[] = []
  const cause = new FirstCause<'aborted' | 'backstop'>()
  let held: Started | undefined

  const endFor = (reason: 'aborted' | 'backstop') => () => {
    cause.record(reason)
    container.destroy()
  }
  const onAbort = endFor('aborted')
  const backstop = setTimeout(endFor('backstop'), program.wallMs + BACKSTOP_MS)
  signal.addEventListener('abort', onAbort, { once: true })

  try {
    if (signal.aborted) onAbort()
    container.send(Buffer.concat([...(options.before ?? []), ...programFrames(program)]))
    for (let frame = await container.receive(); frame; frame = await container.receive()) {
      switch (frame.type) {
        case 'stdout':
          stdout.push(frame.data)
          break
        case 'stderr':
          stderr.push(frame.data)
          break
        case 'sample':
          samples.push(frame.sample)
          break
        case 'done': {
          const { done } = frame
          if (cause.value === 'aborted') throw signal.reason
          return {
            done,
            ended: undefined,
            stdout: stdout.finish({ produced: done.stdoutBytes, truncated: done.stdoutTruncated }),
            stderr: stderr.finish({ produced: done.stderrBytes, truncated: done.stderrTruncated }),
            samples,
            elapsedMs: performance.now() - started,
          }
        }
        case 'fault':
          throw new RetryableError(`init failed at ${frame.fault.where}: ${frame.fault.error}`)
        case 'started':
          held = frame.started
          checkHeld(held, program)
          break
        case 'ready':
        case 'file':
        case 'reset':
          break
        default:
          frame satisfies never
      }
    }
    if (cause.value === 'aborted') throw signal.reason
    const backstopped = cause.value === 'backstop'
    if (held === undefined) throw new RetryableError('the container ended before the program was started')
    // After the worker's own kill the container may be removed already: there is nothing left to ask for.
    const end = backstopped ? { exitCode: null, outOfMemory: false } : await container.end()
    return {
      done: undefined,
      ended: { ...end, backstop: backstopped },
      stdout: stdout.finish(),
      stderr: stderr.finish(),
      samples,
      elapsedMs: performance.now() - started,
    }
  } finally {
    clearTimeout(backstop)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Compares what init and the kernel hold the run to with what was asked; a difference is a fault of the platform. */
function checkHeld(held: Started, program: ProgramRun): void {
  const pairs: [string, number | null, number][] = [
    ['wallMs', held.wallMs, Math.ceil(program.wallMs)],
    ['cpuMs', held.cpuMs, Math.ceil(program.cpuMs ?? 0)],
    ['stdoutLimit', held.stdoutLimit, program.outputBytes],
    ['stderrLimit', held.stderrLimit, program.outputBytes],
    ['openFiles', held.openFiles, program.openFiles],
  ]
  const wrong = pairs.filter(([, found, wanted]) => found !== wanted)
  if (wrong.length === 0) return
  const differences = wrong.map(([name, found, wanted]) => `${name} is ${found}, wanted ${wanted}`)
  throw new TerminalError(`the run is not held to what was asked: ${differences.join('; ')}`)
}

function programFrames(program: ProgramRun): Uint8Array[] {
  const stdin = program.stdin === undefined ? undefined : Buffer.from(program.stdin)
  const exec = encodeExec({
    wallMs: program.wallMs,
    cpuMs: program.cpuMs ?? 0,
    stdoutLimit: program.outputBytes,
    stderrLimit: program.outputBytes,
    killOnOverflow: program.killOnOverflow,
    stdin: stdin !== undefined,
    openFiles: program.openFiles,
    cwd: WORKSPACE,
    argv: program.argv,
    env: program.env,
  })
  if (stdin === undefined) return [exec]
  const frames = [exec]
  for (let at = 0; at < stdin.byteLength; at += STDIN_CHUNK_BYTES) {
    frames.push(encodeStdin(stdin.subarray(at, at + STDIN_CHUNK_BYTES)))
  }
  frames.push(encodeStdinEnd())
  return frames
}
