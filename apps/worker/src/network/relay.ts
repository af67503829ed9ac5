import type { Socket } from 'node:net'
import { type Duplex, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Bytes that one connection has transferred. */
export interface Traffic {
  up: number
  down: number
}

/** The byte allowance of one job, shared by its connections. */
export class Allowance {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Takes bytes. @returns whether that many were left */
  take(bytes: number): boolean {
    this.#left -= bytes
    return this.#left >= 0
  }
}

/** A connection was cut because its job has used up its bytes. */
export class AllowanceSpent extends Error {}

/** A connection was cut because it was idle. */
export class IdleTooLong extends Error {}

/**
 * Copies in both directions until both sides have ended or one fails. Each direction ends separately, so half-closed
 * connections work.
 *
 * @param traffic counts the transferred bytes
 * @throws {AllowanceSpent}, {@link IdleTooLong}, or the error of a side; both sides are closed then
 */
export async function relay(
  client: Duplex,
  upstream: Socket,
  options: { allowance: Allowance; traffic: Traffic; idleMs: number },
): Promise<void> {
  const { allowance, traffic, idleMs } = options
  upstream.setTimeout(idleMs, () => upstream.destroy(new IdleTooLong()))
  const meter = (direction: keyof Traffic) =>
    new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        if (!allowance.take(chunk.byteLength)) return done(new AllowanceSpent())
        traffic[direction] += chunk.byteLength
        done(null, chunk)
      },
    })
  try {
    await Promise.all([pipeline(client, meter('up'), upstream), pipeline(upstream, meter('down'), client)])
  } finally {
    upstream.destroy()
    client.destroy()
  }
}
