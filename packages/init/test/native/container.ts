import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, vi } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { initBinary } from '../../src/binary.ts'
import { FrameDecoder } from '../../src/decode.ts'
import { type ExecRequest, encodeExec } from '../../src/encode.ts'
import type { Done, InitFrame, Ready, RunSample, Started } from '../../src/frames.ts'
import { sampleExec } from '../samples.ts'

const SETUP = fileURLToPath(new URL('fixtures/container.sh', import.meta.url))
const mayUnshare = process.platform === 'linux' && process.getuid?.() === 0

/** A `describe` for specs that run the real init as PID 1, which needs root for its namespaces. */
export function describeInit(name: string, specs: () => void): void {
  vi.setConfig({ testTimeout: scaled(30_000), hookTimeout: scaled(30_000) })
  describe(name, () => {
    beforeEach((context) => context.skip(!mayUnshare, 'making namespaces needs root on Linux'))
    specs()
  })
}

export interface ContainerOptions {
  /** Size of each writable mount, as an option of mount. @default '64m' */
  readonly size?: string
  /** Directory to mount at /sys/fs/cgroup. @default none */
  readonly cgroup?: string
  /** Control groups to join. */
  readonly join?: readonly string[]
  /** Name of a group of each v1 controller that is bound into `cgroup`, as a container engine does it. */
  readonly bind?: string
  readonly withoutMessageQueues?: boolean
  /** Errno with which the kernel refuses another filter. @default none */
  readonly filterErrno?: number
  /** Path of a file that init opens at its start. @default none */
  readonly opens?: string
  /** Whether init's file has the mode that gVisor needs; other kernels then do not hide init by themselves. @default false */
  readonly readable?: boolean
  /** Whether only loopback is there, as in a container. @default true */
  readonly network?: boolean
}

export interface CollectedRun {
  readonly done: Done
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly samples: readonly RunSample[]
  /** Undefined if the program could not be started. */
  readonly started: Started | undefined
}

/** The real init as PID 1 of its own namespaces; `await using` ends it. */
export class Container implements AsyncDisposable {
  readonly process: ChildProcess
  /** How the namespace ended: init's exit code, or the signal that ended it. */
  readonly exited: Promise<{ code: number | null; signal: string | null; stderr: string }>
  readonly #decoder = new FrameDecoder()
  readonly #frames: InitFrame[] = []
  readonly #root = mkdtempSync(join(tmpdir(), 'isopod-init-'))
  #wake: () => void = () => {}
  #failure: Error | undefined

  private constructor(path: string, options: ContainerOptions) {
    const args = [
      '--pid',
      '--fork',
      '--kill-child',
      '--mount',
      '--ipc',
      '--uts',
      ...(options.network === false ? [] : ['--net']),
      'sh',
      SETUP,
      this.#root,
      path,
    ]
    this.process = spawn('unshare', args, {
      // Init must not pass this fourth descriptor on to the program.
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        SIZE: options.size,
        CGROUP: options.cgroup,
        BIND: options.bind,
        JOIN: options.join?.join(' '),
        NETWORK: options.network === false ? undefined : '1',
        FILTER_ERRNO: options.filterErrno === undefined ? undefined : String(options.filterErrno),
        OPENS: options.opens,
        MODE: options.readable === true ? '0555' : undefined,
        NO_MQUEUE: options.withoutMessageQueues === true ? '1' : undefined,
      },
    })
    let stderr = ''
    this.process.stderr?.on('data', (text) => {
      stderr += String(text)
    })
    // A broken pipe is expected: init may end before it has read everything.
    this.process.stdin?.on('error', () => {})
    this.process.stdout?.on('data', (chunk: Buffer) => this.#take(chunk))
    this.exited = new Promise((resolve) => {
      this.process.on('close', (code, signal) => {
        this.#failure ??= new Error(`init ended: ${code ?? signal} ${stderr}`)
        this.#wake()
        resolve({ code, signal, stderr })
      })
    })
  }

  static async start(options: ContainerOptions = {}): Promise<Container & { ready: Ready }> {
    const { path } = await initBinary()
    const container = new Container(path, options)
    const { ready } = await container.next('ready')
    return Object.assign(container, { ready })
  }

  #take(chunk: Buffer): void {
    try {
      this.#frames.push(...this.#decoder.push(chunk))
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
    this.#wake()
  }

  /** Sends frames in one write, as the worker does: otherwise a run could end between two of them. */
  send(...frames: readonly Uint8Array[]): void {
    this.process.stdin?.write(Buffer.concat(frames))
  }

  /** The next frame of any type. */
  async frame(): Promise<InitFrame> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame !== undefined) return frame
      if (this.#failure !== undefined) throw this.#failure
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** The next frame, which must be of this type; samples, which come at any time, are skipped. */
  async next<T extends InitFrame['type']>(type: T): Promise<Extract<InitFrame, { type: T }>> {
    let frame = await this.frame()
    while (frame.type === 'sample' && type !== 'sample') frame = await this.frame()
    if (frame.type !== type) throw new Error(`wanted ${type}, got ${JSON.stringify(frame)}`)
    // Narrowed by the comparison above, which TypeScript does not see through a type parameter.
    return frame as Extract<InitFrame, { type: T }>
  }

  /** Starts a program, sends `then`, and collects until done. */
  async run(
    request: Partial<ExecRequest> & Pick<ExecRequest, 'argv'>,
    ...then: readonly Uint8Array[]
  ): Promise<CollectedRun> {
    this.send(exec(request), ...then)
    return this.outcome()
  }

  /** Runs a shell script. */
  async sh(
    script: string,
    request: Partial<ExecRequest> = {},
    ...then: readonly Uint8Array[]
  ): Promise<CollectedRun> {
    return this.run({ argv: ['bash', '-c', script], ...request }, ...then)
  }

  /** Runs a Perl program: the only language with raw system calls in every Debian. */
  async perl(
    script: string,
    request: Partial<ExecRequest> = {},
    ...then: readonly Uint8Array[]
  ): Promise<CollectedRun> {
    return this.run({ argv: ['perl', '-e', script], ...request }, ...then)
  }

  /** Collects a run up to its end. */
  async outcome(): Promise<CollectedRun> {
    const stdout: Uint8Array[] = []
    const stderr: Uint8Array[] = []
    const samples: RunSample[] = []
    let started: Started | undefined
    for (;;) {
      const frame = await this.frame()
      if (frame.type === 'stdout') stdout.push(frame.data)
      else if (frame.type === 'stderr') stderr.push(frame.data)
      else if (frame.type === 'sample') samples.push(frame.sample)
      else if (frame.type === 'started') started = frame.started
      else if (frame.type === 'done') {
        return {
          done: frame.done,
          stdout: Buffer.concat(stdout),
          stderr: Buffer.concat(stderr),
          samples,
          started,
        }
      } else throw new Error(`unexpected during a run: ${JSON.stringify(frame)}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.stdin?.destroy()
    this.process.stdout?.resume()
    await this.exited
    // The tmpfs was mounted on it only in the namespace, and went away with the namespace.
    rmdirSync(this.#root)
  }
}

/** An exec frame with limits that most specs never reach. */
export function exec(request: Partial<ExecRequest> & Pick<ExecRequest, 'argv'>): Uint8Array {
  return encodeExec(
    sampleExec({
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      wallMs: 20_000,
      stdoutLimit: 10 * 1024 * 1024,
      stderrLimit: 10 * 1024 * 1024,
      ...request,
    }),
  )
}
