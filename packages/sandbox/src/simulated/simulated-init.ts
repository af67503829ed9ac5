import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { type Done, HEADER_BYTES, type Ready, WIRE, WIRE_VERSION } from '@isopod/init'
import { SHM_BYTES, tmpBytes, workspaceBytes, workspaceInodes } from '../driver/confinement.ts'
import type { ChangeableLimits, ContainerLimits } from '../driver/container-kind.ts'
import type { User } from '../driver/users.ts'
import { type HostFrame, HostFrameDecoder, type ProgramStart } from './host-frames.ts'
import { runScript, type ScriptEnd } from './run-script.ts'

const MIB = 1024 * 1024
const CPU_PERIOD_US = 100_000
const ENOENT = 2
const EFBIG = 27
const NOTHING = new Uint8Array()

/** Options of {@link SimulatedInit}. */
export interface SimulatedInitOptions {
  /** Its end of the connection to the host. */
  readonly stream: Duplex
  readonly limits: ContainerLimits
  readonly user: User
  /** Processes of the container that are not the program's. */
  readonly ownProcesses: number
  /** Minimum duration of a program, in milliseconds. */
  readonly runMs: number
}

/**
 * Speaks init's side of the wire without a process: it keeps files in memory, and runs the simple shell scripts that
 * {@link runScript} knows. It confines nothing, and reports the limits that it was asked for.
 */
export class SimulatedInit {
  readonly #options: SimulatedInitOptions
  readonly #decoder = new HostFrameDecoder()
  readonly #ended = new AbortController()
  #limits: ContainerLimits
  #files = new Map<string, Uint8Array>()
  #snapshot: ReadonlyMap<string, Uint8Array> = new Map()
  #stdin = Promise.withResolvers<Uint8Array>()
  #stdinChunks: Uint8Array[] = []
  /** The last program that was started. */
  #run: Promise<void> = Promise.resolve()
  #isRunning = false
  /** Answers that wait for its end. */
  readonly #kept: (() => void)[] = []
  /** Frames are handled one after the other. */
  #handled: Promise<void> = Promise.resolve()

  constructor(options: SimulatedInitOptions) {
    this.#options = options
    this.#limits = options.limits
    const { stream } = options
    stream.on('data', (chunk: Buffer) => {
      for (const frame of this.#decoder.push(chunk)) {
        this.#handled = this.#handled.then(() => this.#handle(frame)).catch(() => this.end())
      }
    })
    stream.on('error', () => this.end())
    stream.on('close', () => this.end())
    this.#send(WIRE.ready, this.#ready())
  }

  /** Resolves once it has ended. */
  async untilEnded(): Promise<void> {
    if (!this.#ended.signal.aborted) await once(this.#ended.signal, 'abort')
  }

  /** Changes the limits that it reports. */
  changeLimits(limits: ChangeableLimits): void {
    this.#limits = { ...this.#limits, ...limits }
  }

  /** Ends it, and the program with it. */
  end(): void {
    this.#ended.abort()
    this.#options.stream.destroy()
  }

  async #handle(frame: HostFrame): Promise<void> {
    switch (frame.type) {
      case 'putFile':
        this.#files.set(frame.path, frame.content)
        break
      case 'exec':
        this.#run = this.#runProgram(frame.start)
        break
      case 'stdin':
        if (frame.data.byteLength > 0) this.#stdinChunks.push(frame.data)
        else this.#stdin.resolve(Buffer.concat(this.#stdinChunks))
        break
      case 'fetch':
        this.#afterRun(() => this.#fetch(frame.path, frame.maxBytes))
        break
      case 'inspect':
        this.#send(WIRE.ready, this.#ready())
        break
      case 'reset':
        this.#snapshot = new Map()
        this.#restore()
        break
      case 'restore':
        // It may be sent ahead, with the next program after it.
        await this.#run
        this.#restore()
        break
      case 'snapshot': {
        this.#snapshot = new Map(this.#files)
        const bytes = [...this.#files.values()].reduce((sum, content) => sum + content.byteLength, 0)
        this.#send(WIRE.snapshotDone, { files: this.#files.size, bytes, error: null })
        break
      }
      case 'preload':
        this.#files.clear()
        this.#send(WIRE.preloaded, { ms: 0, memoryBytes: null, error: null })
        break
      case 'quit':
        this.#options.stream.end(() => this.end())
        break
      default:
        frame satisfies never
    }
  }

  /** Answers a request at once, or after the current run. */
  #afterRun(answer: () => void): void {
    if (this.#isRunning) this.#kept.push(answer)
    else answer()
  }

  async #runProgram({ argv, stdin, resets, ...limits }: ProgramStart): Promise<void> {
    this.#isRunning = true
    const { killOnOverflow: _, ...held } = limits
    this.#send(WIRE.started, { pid: 2, ...held })
    this.#stdin = Promise.withResolvers()
    this.#stdinChunks = []
    if (!stdin) this.#stdin.resolve(NOTHING)
    const started = performance.now()
    const file = argv.findLast((word) => this.#files.has(word)) ?? ''
    const end = await runScript(Buffer.from(this.#files.get(file) ?? NOTHING).toString(), {
      ...limits,
      minMs: this.#options.runMs,
      stdin: this.#stdin.promise,
      print: (bytes) => this.#send(WIRE.stdout, bytes),
      signal: this.#ended.signal,
    })
    this.#send(WIRE.done, done(end, performance.now() - started))
    this.#isRunning = false
    for (const answer of this.#kept.splice(0)) answer()
    if (!resets) return
    this.#restore()
    this.#send(WIRE.ready, this.#ready())
  }

  #fetch(path: string, maxBytes: number): void {
    const content = this.#files.get(path)
    const status = content === undefined ? ENOENT : content.byteLength > maxBytes ? EFBIG : 0
    this.#send(WIRE.file, Buffer.concat([Buffer.of(status), status === 0 && content ? content : NOTHING]))
  }

  #restore(): void {
    this.#files = new Map(this.#snapshot)
    this.#send(WIRE.resetDone, { clean: true, reason: null })
  }

  #send(type: number, payload: object): void {
    const bytes = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload))
    const frame = Buffer.alloc(HEADER_BYTES + bytes.byteLength)
    frame.writeUInt8(type)
    frame.writeUInt32LE(bytes.byteLength, 1)
    frame.set(bytes, HEADER_BYTES)
    if (this.#options.stream.writable) this.#options.stream.write(frame)
  }

  #ready(): Ready {
    const { user, ownProcesses } = this.#options
    const { memoryMb, cpus, processes, diskMb } = this.#limits
    return {
      version: WIRE_VERSION,
      cgroup: 2,
      memoryBytes: memoryMb * MIB,
      memorySwapBytes: memoryMb * MIB,
      cpuQuotaUs: Math.round(cpus * CPU_PERIOD_US),
      cpuPeriodUs: CPU_PERIOD_US,
      pidsMax: processes + ownProcesses,
      memoryTotalBytes: null,
      processLimit: null,
      workspaceBytes: workspaceBytes(diskMb),
      workspaceInodes: workspaceInodes(diskMb),
      tmpBytes: tmpBytes(diskMb),
      shmBytes: SHM_BYTES,
      noNewPrivileges: true,
      seccomp: 2,
      seccompFilters: 1,
      capabilities: '0'.repeat(16),
      ...user,
      pid: 1,
    }
  }
}

function done({ exitCode, limit, stdoutBytes, stdoutTruncated }: ScriptEnd, wallMs: number): Done {
  return {
    exitCode,
    signal: exitCode === null ? 9 : null,
    ...{ wallMs, cpuUserMs: 0, cpuSysMs: 0, maxRssBytes: 0, memoryStartBytes: 0, memoryPeakBytes: 0 },
    ...{ oomKills: 0, processesPeak: 1, forkFailures: 0, throttledMs: 0 },
    ...{ stdoutBytes, stderrBytes: 0, stdoutTruncated, stderrTruncated: false },
    ...{ limit, killed: false, spawnError: null },
  }
}
