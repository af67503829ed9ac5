import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { vi } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { spawnerBinary } from '../../src/binary.ts'

/** One connection to the spawner. */
export interface Connection {
  readonly id: string
  readonly socket: Socket
  /** Everything that came, once the connection has ended. */
  readonly output: Promise<string>
  /** Resolves when something has come. */
  readonly spoke: Promise<string>
}

/** Options of {@link SpawnerProcess.start}. */
export interface SpawnerOptions {
  /** Program and arguments that start it. @default none */
  readonly through?: readonly string[]
  /** Its user. @default that of the tests */
  readonly as?: { readonly uid: number; readonly gid: number } | undefined
  /** Its socket. @default a new one */
  readonly at?: string
  /** Paths of the host whose mounts it keeps. @default all */
  readonly needs?: readonly string[]
}

/** The real spawner; `await using` ends it. */
export class SpawnerProcess implements AsyncDisposable {
  readonly process: ChildProcess
  readonly socket: string
  readonly lines: string[] = []
  readonly exited: Promise<number | null>
  readonly #directory: string

  private constructor(program: string, { through = [], as, at, needs = [] }: SpawnerOptions) {
    this.#directory = mkdtempSync(join(tmpdir(), 'isopod-spawner-'))
    this.socket = at ?? join(this.#directory, 'socket')
    const [command = program, ...args] = [...through, program, this.socket, ...needs]
    if (as !== undefined) chownSync(this.#directory, as.uid, as.gid)
    this.process = spawn(command, args, {
      ...as,
      // Sandboxes must not inherit this fourth descriptor.
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
      env: { PATH: '/usr/bin:/bin' },
    })
    if (this.process.stdout)
      createInterface({ input: this.process.stdout }).on('line', (line) => this.lines.push(line))
    this.exited = new Promise((resolve) => this.process.on('close', resolve))
  }

  static async start(options: SpawnerOptions = {}): Promise<SpawnerProcess> {
    const spawner = new SpawnerProcess((await spawnerBinary()).path, options)
    await vi.waitFor(() => {
      if (spawner.lines[0] !== 'listening') throw new Error('the spawner does not listen')
    }, scaled(10_000))
    return spawner
  }

  get isListening(): boolean {
    return existsSync(this.socket)
  }

  /** Connects, and sends an id and words, each with its NUL. */
  connect(words: readonly string[], id = randomBytes(32).toString('hex')): Connection {
    const socket = connect(this.socket)
    let text = ''
    const spoke = Promise.withResolvers<string>()
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        text += String(chunk)
        spoke.resolve(text)
      })
    const output = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
    socket.write([id, ...words].map((word) => `${word}\0`).join(''))
    return { id, socket, output, spoke: spoke.promise }
  }

  /** Connects, and becomes a shell that runs this script. */
  shell(script: string, ...steps: readonly string[]): Connection {
    return this.connect([...steps, '--', '/bin/sh', '-c', script, ''])
  }

  command(text: string): void {
    this.process.stdin?.write(`${text}\n`)
  }

  /** How a sandbox ended: the rest of its line. */
  async ended({ id }: Pick<Connection, 'id'>): Promise<string> {
    return (await this.line(`ended ${id} `)).slice(`ended ${id} `.length).trim()
  }

  /** The first line that begins with this. */
  async line(start: string): Promise<string> {
    return await vi.waitFor(
      () => {
        const found = this.lines.find((line) => line.startsWith(start))
        if (found === undefined)
          throw new Error(`no line ${start}… among ${JSON.stringify(this.lines.slice(-5))}`)
        return found
      },
      { timeout: scaled(10_000), interval: 10 },
    )
  }

  /** Ids of its child processes, zombies included. */
  children(): number[] {
    const { pid } = this.process
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number)
  }

  descriptors(): number {
    return readdirSync(`/proc/${this.process.pid}/fd`).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.stdin?.destroy()
    await this.exited
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
