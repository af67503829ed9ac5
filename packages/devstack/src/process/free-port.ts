import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { SetupError } from '../setup-error.ts'

/** Linux' range of ports for outgoing connections. */
const OF_CONNECTIONS = '/proc/sys/net/ipv4/ip_local_port_range'
/** Minimum end of the search range, for hosts that use nearly all ports for outgoing connections. */
const LOWEST_END = 8192
const TRIES = 100

/**
 * Finds a free TCP port of 127.0.0.1 below the range for outgoing connections, so that none of them takes the port before the
 * caller listens.
 *
 * @throws {SetupError} after a hundred attempts
 */
export async function freePort(): Promise<number> {
  const range = await readFile(OF_CONNECTIONS, 'utf8')
  const end = Math.max(Number.parseInt(range, 10), LOWEST_END)
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(Math.ceil(end / 2), end)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
  throw new SetupError(`found no free port of 127.0.0.1 below ${end} in ${TRIES} tries`)
}
