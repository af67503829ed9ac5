import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { SetupError } from '../setup-error.ts'

/** File with Linux' range of ports for outgoing connections. */
const OUTGOING_RANGE = '/proc/sys/net/ipv4/ip_local_port_range'
/** Minimum end of the search range, for hosts that use nearly all ports for outgoing connections. */
const MIN_END = 8192
const TRIES = 100
/** Ports on which a service is started, one after the other, if other processes are faster to take them. */
const STARTS = 3

/** Another process answers on the port of a service. */
export class PortTakenError extends SetupError {
  constructor(app: string, port: number) {
    super(`another process than the ${app} answers on port ${port} of 127.0.0.1`)
  }
}

/**
 * Finds a free TCP port of 127.0.0.1 below the range for outgoing connections, so that none of them takes the port before the
 * caller listens.
 *
 * @throws {SetupError} after a hundred attempts
 */
export async function freePort(): Promise<number> {
  const range = await readFile(OUTGOING_RANGE, 'utf8')
  const end = Math.max(Number.parseInt(range, 10), MIN_END)
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(Math.ceil(end / 2), end)
    if ((await portProblem(port)) === undefined) return port
  }
  throw new SetupError(`found no free port of 127.0.0.1 below ${end} in ${TRIES} tries`)
}

/**
 * Starts a service on a free port, and on another one if a different process takes the port before the service listens.
 *
 * @param start rejects with {@link PortTakenError} in that case
 */
export async function startOnFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let starts = 1; ; starts++) {
    const port = await freePort()
    try {
      return await start(port)
    } catch (error) {
      if (!(error instanceof PortTakenError) || starts === STARTS) throw error
    }
  }
}

/**
 * Refuses a port of 127.0.0.1 that a service could not listen on. Without this check another server there would be taken for
 * the service.
 *
 * @throws {SetupError} naming the port
 */
export async function checkPort(port: number): Promise<void> {
  const problem = await portProblem(port)
  if (problem === undefined) return
  const reason = problem === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${problem})`
  throw new SetupError(`port ${port} of 127.0.0.1 ${reason}; choose another, or 0 for a free one`)
}

/** The error code of listening on a port; undefined if it is free. */
async function portProblem(port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
  server.close()
  await once(server, 'close')
  return undefined
}
