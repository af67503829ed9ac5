import { encodeRestore, encodeSnapshot, type InitFrame } from '@isopod/init'
import { isGvisor, limitNamesOf, pickLimits, RetryableError } from '@isopod/protocol'
import type { Execution, RunInput } from '../contract/execution.ts'
import type { PipeEnd } from '../contract/pipe.ts'
import type { TimeBudget } from '../contract/time-budget.ts'
import type { Container } from '../driver/container.ts'
import { checkConfinement, ranOut } from '../execution/run-execution.ts'
import { type ClassifiedRun, programRun, runClassified, wallMsOf } from '../program/classified-run.ts'
import type { RunEnd } from '../program/classify-run.ts'
import { type ProgramRun, programFrames } from '../program/program-frames.ts'
import { nothingRan } from '../program/run-program.ts'
import { fileFrames, workspaceFrames } from '../program/workspace.ts'

const MIB = 1024 * 1024
/** Timeout of a snapshot or a restore, in milliseconds; usually one takes less than 1. */
const ANSWER_TIMEOUT_MS = 5_000
/** The same for a second container. The program is blamed for no answer in that time: a busy host is not that slow. */
const RETRY_TIMEOUT_MS = 60_000
const UNANSWERED = 'unanswered'
/** Maximum memory of init and the kernel in addition to the files, in MiB; less than 1 in a new container. */
const OVERHEAD_MB = 4

/** An execution that starts its program more than once. */
export type MultiRunExecution = Execution & { readonly runs: readonly RunInput[] }

/** Options of {@link RunSession}. */
export interface RunSessionOptions {
  /** Whether the compiler has run in the container and the files are in place. */
  readonly compiled: boolean
  /** Whether to send each run while the previous one is still running, which saves a round trip. */
  readonly ahead: boolean
  /** Whether a restore failed in another container, so that the program is blamed if this one fails as well. */
  readonly isRetry: boolean
  readonly signal: AbortSignal
  readonly budget?: TimeBudget | undefined
}

/** Consecutive runs of one execution in one container, for as long as it can be proven clean. */
export class RunSession {
  readonly #container: Container
  readonly #execution: MultiRunExecution
  readonly #options: RunSessionOptions
  readonly #first: number
  /** The container's limits now. */
  #limits: RunInput['limits']
  /** Index of the next run to send. */
  #next: number
  /** Time of each run that was sent, in milliseconds: its limit, or less if its job has less left. */
  readonly #wallMs: number[] = []
  #killsBefore = 0
  #snapshotBytes = 0
  #left: string | undefined

  constructor(container: Container, execution: MultiRunExecution, first: number, options: RunSessionOptions) {
    this.#container = container
    this.#execution = execution
    this.#options = options
    this.#first = first
    this.#next = first
    this.#limits = execution.limits
  }

  /** Why no further run can start here: what a restore could not undo, in init's words; undefined if runs can start. */
  get left(): string | undefined {
    return this.#left
  }

  /**
   * Makes init take the snapshot from which every run starts. If {@link left} says that there is none, no run can start.
   *
   * @returns how the program failed if a snapshot is impossible
   */
  async snapshot(): Promise<RunEnd | undefined> {
    const files = this.#options.compiled ? [] : workspaceFrames(this.#execution)
    this.#container.send(Buffer.concat([...files, encodeSnapshot()]))
    const frame = await this.#answer('snapshotDone')
    if (frame === undefined && !this.#options.compiled) {
      throw new RetryableError('init did not answer a snapshot')
    }
    if (frame === undefined) {
      // Code that the compiler ran may have left more files than can be copied in time.
      this.#left = UNANSWERED
      return undefined
    }
    const { error, bytes } = frame.snapshot
    this.#snapshotBytes = bytes
    return error === null ? undefined : noSnapshot(error, this.#execution)
  }

  /** Makes one run. @returns undefined if it needs another container: this one is not clean, or cannot get its limits */
  async run(index: number): Promise<ClassifiedRun | undefined> {
    const { signal } = this.#options
    // gVisor cannot change limits while it runs.
    if (!this.#fits(index) && isGvisor(this.#container.runtime)) return undefined
    const { language } = this.#execution
    const { limits, pipe } = this.#input(index)
    const restored = this.#isRestored(index)
    const changes = this.#next === index && !this.#fits(index)
    if (changes) {
      // First: an engine refuses limits below what the run before has left.
      if (restored && !(await this.#restore())) return undefined
      if (!this.#hasRoom(limits)) return await this.#withoutRoom(index)
      await this.#changeLimits(limits)
    }
    if (this.#next === index && !(await this.#send(restored && !changes))) {
      return { report: nothingRan(), end: ranOut({ limits }) }
    }
    if (this.#mayGoAhead()) await this.#send(true)
    if (restored && !changes && !(await this.#isClean())) return undefined
    const ran = await runClassified(this.#container, { limits, language }, this.#program(index), {
      sent: true,
      signal,
      pipe,
      afterUserCode: restored,
      afterFiles: true,
      killsBefore: this.#killsBefore,
    })
    this.#killsBefore += ran.report.done?.oomKills ?? 0
    return ran
  }

  /** Whether no run after this one has been sent, so that the session can end here. */
  canEndAfter(index: number): boolean {
    return this.#next === index + 1
  }

  /** Sends the next run. @returns false if its job ran out of time before the other end of its pipe was ready */
  async #send(restored: boolean): Promise<boolean> {
    const { files, pipe, limits } = this.#input(this.#next)
    if (pipe !== undefined && !(await this.#meet(pipe))) return false
    this.#wallMs[this.#next] = wallMsOf(limits.timeoutSeconds, this.#options.budget)
    const frames = [...fileFrames(files), ...programFrames(this.#program(this.#next), false)]
    if (restored) frames.unshift(encodeRestore())
    this.#container.send(Buffer.concat(frames))
    this.#next++
    return true
  }

  /** Waits for the other end of a pipe while the job has time. */
  async #meet(pipe: PipeEnd): Promise<boolean> {
    const { signal, budget } = this.#options
    const over = new AbortController()
    const timer = budget && setTimeout(() => over.abort(), budget.leftMs)
    try {
      await pipe.meet(AbortSignal.any([signal, over.signal]))
      return true
    } catch (error) {
      if (signal.aborted || !over.signal.aborted) throw error
      // The other program reads the end of its input.
      pipe.end()
      return false
    } finally {
      clearTimeout(timer)
    }
  }

  async #restore(): Promise<boolean> {
    this.#container.send(encodeRestore())
    return await this.#isClean()
  }

  async #isClean(): Promise<boolean> {
    const answer = await this.#answer('reset')
    const { clean, reason } = answer?.reset ?? { clean: false, reason: UNANSWERED }
    if (!clean) this.#left = reason ?? 'unknown'
    return clean
  }

  async #changeLimits(limits: RunInput['limits']): Promise<void> {
    await this.#container.changeLimits(pickLimits(limits, 'container'))
    this.#limits = limits
    checkConfinement(this.#container, { limits })
  }

  /** Whether the snapshot and its copy in the workspace fit into a run's memory. */
  #hasRoom({ memoryMb }: RunInput['limits']): boolean {
    return 2 * this.#snapshotBytes <= (memoryMb - OVERHEAD_MB) * MIB
  }

  /** A run that did not start, because its program's files exceed its memory. */
  async #withoutRoom(index: number): Promise<ClassifiedRun> {
    const { limits, pipe } = this.#input(index)
    await pipe?.meet(this.#options.signal)
    // The other program reads the end of its input.
    pipe?.end()
    return { report: nothingRan(), end: filesTooLarge(limits) }
  }

  /** Not where only the host counts out-of-memory kills: it cannot say which of two runs they belong to. */
  #mayGoAhead(): boolean {
    const { runs } = this.#execution
    const next = runs[this.#next]
    if (next === undefined || !this.#options.ahead || this.#container.hostLimits !== undefined) return false
    // Init would read the input of a piped run only after the frames of the next one.
    const isPiped = next.pipe !== undefined || this.#input(this.#next - 1).pipe !== undefined
    return !isPiped && this.#fits(this.#next) && this.#isTimeFor(next)
  }

  /** Whether the job has time for a run and the one before it at their limits: a run that was sent cannot be shortened. */
  #isTimeFor({ limits }: RunInput): boolean {
    const { budget } = this.#options
    const before = this.#input(this.#next - 1).limits
    return budget === undefined || (limits.timeoutSeconds + before.timeoutSeconds) * 1000 < budget.leftMs
  }

  #isRestored(index: number): boolean {
    return this.#options.compiled || index > this.#first
  }

  /** Whether the container has the limits of a run. */
  #fits(index: number): boolean {
    const { limits } = this.#input(index)
    return limitNamesOf('container').every((name) => limits[name] === this.#limits[name])
  }

  #program(index: number): ProgramRun {
    const { args, limits, pipe, stdin } = this.#input(index)
    const own = { ...this.#execution, args, limits, stdin }
    const program = programRun(own, own.language.command, { proxy: false })
    const wallMs = this.#wallMs[index] ?? program.wallMs
    return { ...program, wallMs, piped: pipe !== undefined, preloaded: this.#container.preloaded }
  }

  #input(index: number): RunInput {
    const input = this.#execution.runs[index]
    if (input === undefined) throw new Error(`there is no run ${index}`)
    return input
  }

  /** The next frame if it is of this type; undefined if another came, or none in time. */
  async #answer<T extends InitFrame['type']>(type: T): Promise<Extract<InitFrame, { type: T }> | undefined> {
    const { signal, isRetry } = this.#options
    const end = () => this.#container.destroy()
    const timeout = setTimeout(end, isRetry ? RETRY_TIMEOUT_MS : ANSWER_TIMEOUT_MS)
    signal.addEventListener('abort', end, { once: true })
    try {
      if (signal.aborted) end()
      const frame = await this.#container.receive()
      signal.throwIfAborted()
      return isOf(frame, type) ? frame : undefined
    } finally {
      clearTimeout(timeout)
      signal.removeEventListener('abort', end)
    }
  }
}

function isOf<T extends InitFrame['type']>(
  frame: InitFrame | undefined,
  type: T,
): frame is Extract<InitFrame, { type: T }> {
  return frame?.type === type
}

/** A program whose compiled files cannot be copied. */
function noSnapshot(error: string, { limits }: Execution): RunEnd {
  if (error === 'ENOMEM' || error === 'EFBIG') return filesTooLarge(limits)
  const errorMessage = `What the compiler left cannot be read (${error})`
  return { exitCode: null, signal: null, status: 'execution_error', limit: null, errorMessage }
}

function filesTooLarge({ memoryMb }: RunInput['limits']): RunEnd {
  const errorMessage = `The program's files do not fit twice into its memory limit of ${memoryMb} MB, which many runs need`
  return { exitCode: null, signal: null, status: 'memory_exceeded', limit: 'memory', errorMessage }
}
