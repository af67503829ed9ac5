import { IsopodError, RetryableError, UnavailableError } from '@isopod/protocol'
import type Dockerode from 'dockerode'
import type { DockerOptions } from 'dockerode'
import { DriverFullError, DriverUnavailableError } from '../../driver/faults.ts'
import type { DriverCall, DriverOperation } from '../../driver/sandbox-events.ts'
import { Docker } from './lean-dockerode.ts'

/** Timeout of each operation, in milliseconds, because a call to a hanging engine never returns. */
const DEADLINE_MS: Record<DriverOperation, number> = {
  create: 20_000,
  attach: 10_000,
  start: 20_000,
  ready: 10_000,
  look: 5_000,
  update: 10_000,
  // More than init grants the interpreter.
  preload: 25_000,
  exit: 10_000,
  inspect: 10_000,
  events: 15_000,
  remove: 30_000,
  list: 20_000,
  image: 10_000,
  volume: 20_000,
  ping: 3_000,
  info: 5_000,
}

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EACCES',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
])

/** What engines, containerd and runtimes say when the kernel answers ENOSPC or EDQUOT. */
const DISK_FULL = /no space left on device|disk quota exceeded/i

/** The Docker engine. Every call has a timeout, is observed, and throws Isopod's errors. */
export class Engine {
  readonly docker: Dockerode
  readonly address: string
  readonly #observe: (call: DriverCall) => void

  /** @param address `unix:///path`, a plain path, or `tcp://host:port` as in `DOCKER_HOST` */
  constructor(address: string, observe: (call: DriverCall) => void = () => {}) {
    this.address = address
    this.docker = new Docker(dockerOptions(address))
    this.#observe = observe
  }

  /**
   * Makes one call.
   *
   * @throws {DriverUnavailableError} if the engine does not answer within the operation's deadline
   * @throws {DriverFullError} if the engine refuses because its disk is full
   * @throws {RetryableError} with the engine's message for any other failure; `cause` is the original error
   */
  async call<T>(
    operation: DriverOperation,
    act: (docker: Dockerode, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const started = performance.now()
    // Not AbortSignal.timeout: it would keep the call's objects alive until the deadline, long after most calls have ended.
    const controller = new AbortController()
    const deadline = controller.signal
    const timer = setTimeout(() => controller.abort(), DEADLINE_MS[operation]).unref()
    const observe = (outcome: DriverCall['outcome']) =>
      this.#observe({ operation, outcome, seconds: (performance.now() - started) / 1000 })
    try {
      const value = await Promise.race([act(this.docker, deadline), rejection(deadline)])
      observe('ok')
      return value
    } catch (cause) {
      observe(deadline.aborted ? 'timeout' : statusCode(cause) === 404 ? 'not_found' : 'error')
      throw this.#translate(operation, deadline.aborted, cause)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Checks that the engine answers. @throws {UnavailableError} with one sentence that names its address */
  async ping(): Promise<void> {
    await this.call('ping', (docker) => docker.ping()).catch((cause: unknown) => {
      throw new UnavailableError(
        `No Docker engine answers at ${this.address}; start it, or set DOCKER_HOST to where it listens`,
        { cause },
      )
    })
  }

  #translate(operation: DriverOperation, isLate: boolean, cause: unknown): Error {
    if (cause instanceof IsopodError) return cause
    if (isLate) {
      return new DriverUnavailableError(
        `the engine at ${this.address} did not answer ${operation} within ${DEADLINE_MS[operation] / 1000} s`,
        { cause },
      )
    }
    if (UNREACHABLE_CODES.has(errorCode(cause))) {
      return new DriverUnavailableError(
        `the engine at ${this.address} cannot be reached (${errorCode(cause)})`,
        { cause },
      )
    }
    const refused = `the engine refused ${operation}`
    const message = `${refused}: ${messageOf(cause)}`
    if (isOfEngine(cause) && DISK_FULL.test(message)) {
      return new DriverFullError(
        `the disk of the engine at ${this.address} is full; free space below its data root (docker system df). ${message}`,
        { cause },
      )
    }
    // The engine never sees a job; any other error may quote one.
    return new RetryableError(message, { cause, publicMessage: isOfEngine(cause) ? message : refused })
  }
}

/** HTTP status of an engine's refusal, anywhere in the chain of causes; undefined if there is none. */
export function statusCode(error: unknown): number | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('statusCode' in at && typeof at.statusCode === 'number') return at.statusCode
  }
  return undefined
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function dockerOptions(address: string): DockerOptions {
  if (address.startsWith('/')) return { socketPath: address }
  if (address.startsWith('unix://')) return { socketPath: address.slice('unix://'.length) }
  const url = new URL(address)
  const protocol = url.protocol === 'https:' || url.port === '2376' ? 'https' : 'http'
  return { host: url.hostname, port: Number(url.port || 2375), protocol }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function isOfEngine(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const json: unknown = 'json' in error ? error.json : undefined
  const message =
    typeof json === 'object' && json !== null && 'message' in json ? String(json.message) : error.message
  return message.trim()
}
