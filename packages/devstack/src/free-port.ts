import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { SetupError } from './setup-error.ts'

/** Below the ports that Linux gives to connections, none of which is to take it before whoever asked has it. */
const [FIRST, END] = [16_384, 32_768]
const TRIES = 100

/**
 * Finds a TCP port of 127.0.0.1 that nobody has.
 *
 * @throws {SetupError} when there is none in a hundred tries
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST, END)
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
  throw new SetupError(`found no free port from ${FIRST} to ${END - 1} on 127.0.0.1`)
}
