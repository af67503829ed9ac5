import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DriverUnavailableError } from '../driver/faults.ts'

/** How a sandbox ended, and what it wrote to stderr. */
export interface SandboxEnd {
  /** Exit code, or null if a signal ended it. */
  readonly code: number | null
  readonly signal: number | null
  readonly message: string
}

/** A process of the spawner, which becomes a sandbox by steps. */
export interface SandboxProcess {
  /** stdin and stdout of its init, once it is a sandbox. */
  readonly wire: Socket
  /** Rejects if the spawner is gone. */
  readonly ended: Promise<SandboxEnd>
  readonly isRunning: boolean
  /** Sends steps (packages/init/spawner/steps.h), each a word and its values. */
  send(steps: readonly string[]): void
  /** Ends it and everything in it, if it still runs. */
  kill(): void
}

const ENDED = /^ended (\S+) (exit|signal) (\d+) (.*)$/

/**
 * The program of packages/init/spawner, which starts this worker's sandboxes: a fork of the worker itself would take
 * milliseconds of its time. Started with the first sandbox, and again if it has ended. Its end ends all sandboxes.
 */
export class Spawner {
  readonly #program: string
  readonly #socket: string
  readonly #needs: readonly string[]
  readonly #running = new Map<string, RunningSandbox>()
  #child: ChildProcess | undefined
  #listening: Promise<void> | undefined

  /**
   * @param socket path of the socket that it makes; its directory must belong to the worker's user alone
   * @param needs the host's paths that steps name; sandboxes see no mounts but those of these paths. @default all mounts
   */
  constructor(program: string, socket: string, needs: readonly string[] = []) {
    this.#program = program
    this.#socket = socket
    this.#needs = needs
  }

  /**
   * Starts a process, which waits for its steps.
   *
   * @param id 64 hexadecimal digits
   * @throws {DriverUnavailableError} if the spawner cannot be started
   */
  async start(id: string): Promise<SandboxProcess> {
    this.#listening ??= this.#listen()
    await this.#listening
    const wire = connect(this.#socket)
    const sandbox = new RunningSandbox(wire, () => this.#child?.stdin?.write(`kill ${id}\n`))
    this.#running.set(id, sandbox)
    let isConnected = false
    wire.once('connect', () => {
      isConnected = true
    })
    // Without a listener, a broken connection would end the worker before the wire listens.
    wire.on('error', (cause) => {
      // The spawner reports no end of a process that it could not make.
      if (isConnected || !this.#running.delete(id)) return
      sandbox.lose(
        new DriverUnavailableError('the program that starts sandboxes refused a connection', { cause }),
      )
    })
    sandbox.send([id])
    return sandbox
  }

  /** Removes the sockets of spawners that ended without doing so, killed together with their worker. */
  async removeDeadSockets(): Promise<void> {
    const directory = dirname(this.#socket)
    const names = (await readdir(directory)).filter((name) => name.endsWith('.sock'))
    const paths = names.map((name) => join(directory, name)).filter((path) => path !== this.#socket)
    await Promise.all(paths.map(async (path) => (await isRefused(path)) && rm(path, { force: true })))
  }

  /** Ends the spawner; sandboxes that still run end with it. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
  }

  async #listen(): Promise<void> {
    const child = spawn(this.#program, [this.#socket, ...this.#needs], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {},
      cwd: '/',
    })
    this.#child = child
    child.stdin.on('error', () => {})
    const ready = Promise.withResolvers<void>()
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => (line === 'listening' ? ready.resolve() : this.#hear(line)))
    const lost = (cause?: Error) => {
      const error = new DriverUnavailableError('the program that starts sandboxes has ended', { cause })
      ready.reject(error)
      for (const sandbox of this.#running.values()) sandbox.lose(error)
      this.#running.clear()
      this.#listening = undefined
    }
    child.on('error', lost)
    child.on('exit', () => lost())
    await ready.promise
  }

  #hear(line: string): void {
    const [, id, how, number, message = ''] = ENDED.exec(line) ?? []
    if (id === undefined) return
    const sandbox = this.#running.get(id)
    this.#running.delete(id)
    const value = Number(number)
    sandbox?.end({
      code: how === 'exit' ? value : null,
      signal: how === 'signal' ? value : null,
      message: message.trim(),
    })
  }
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(path, () => {
      connection.destroy()
      resolve(false)
    })
    connection.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  })
}

class RunningSandbox implements SandboxProcess {
  readonly wire: Socket
  readonly #kill: () => void
  readonly #end = Promise.withResolvers<SandboxEnd>()
  isRunning = true

  constructor(wire: Socket, kill: () => void) {
    this.wire = wire
    this.#kill = kill
    // A rejection that no caller waits for would end the worker.
    this.ended.catch(() => {})
  }

  get ended(): Promise<SandboxEnd> {
    return this.#end.promise
  }

  send(steps: readonly string[]): void {
    if (this.wire.writable) this.wire.write(`${steps.join('\0')}\0`)
  }

  kill(): void {
    if (this.isRunning) this.#kill()
  }

  end(end: SandboxEnd): void {
    this.isRunning = false
    this.#end.resolve(end)
  }

  lose(error: Error): void {
    this.isRunning = false
    this.wire.destroy()
    this.#end.reject(error)
  }
}
