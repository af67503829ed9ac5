import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { SetupError } from '../setup-error.ts'

/** Where Linux says which ports it gives to connections. */
const OF_CONNECTIONS = '/proc/sys/net/ipv4/ip_local_port_range'
/** Where a host gives nearly all of them to connections, one may take ours. */
const LOWEST_END = 8192
const TRIES = 100

/**
 * Finds a free TCP port of 127.0.0.1, below those that the kernel gives to connections, so that no connection takes it
 * before the caller does.
 *
 * @throws {SetupError} when a hundred tries find none
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
