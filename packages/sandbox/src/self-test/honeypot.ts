import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How long a visitor may take to say who it is, in milliseconds. */
const VISIT_MS = 1_000

/** What probes look for on the worker's own host. */
export interface Honeypot {
  /** A file of this host. */
  readonly file: string
  /** Random text: in the file, and what one neighbour hides from the other. */
  readonly secret: string
  /** A port on this host's loopback, and the name of an abstract socket, both listening. */
  readonly port: number
  readonly socket: string
  /** What the probe says where it gets through: others on this host may connect to a port, too. */
  readonly token: string
  /** Connections of the probe that reached either. */
  visits(): number
  remove(): Promise<void>
}

/** In a worker that is itself confined, all else may be read-only. */
async function makeFolder(): Promise<string> {
  const make = (parent: string) => mkdtemp(join(parent, 'isopod-honeypot-'))
  return await make(tmpdir()).catch(() => make('/dev/shm'))
}

/** Lays honeypot on this host: everything on it is random, so that finding it proves something. */
export async function openHoneypot(): Promise<Honeypot> {
  const secret = randomBytes(12).toString('hex')
  const token = randomBytes(12).toString('hex')
  const name = randomBytes(6).toString('hex')
  const folder = await makeFolder()
  const file = join(folder, `${name}.txt`)
  let visits = 0
  const listen = async (at: { port: number; host: string } | { path: string }): Promise<Server> => {
    const server = createServer((visitor) => {
      visitor.setTimeout(VISIT_MS, () => visitor.destroy())
      // That a connection breaks is of no interest.
      visitor.on('error', () => {})
      visitor.once('data', (said: Buffer) => {
        if (said.includes(token)) visits += 1
        visitor.destroy()
      })
    })
    server.listen(at)
    await once(server, 'listening')
    return server
  }
  const servers: Server[] = []
  const remove = async () => {
    for (const server of servers) server.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    // Whoever gets here must not be kept from it by a mode: only the container's walls are tested.
    await chmod(folder, 0o755)
    await writeFile(file, `${secret}\n`, { mode: 0o644 })
    const tcp = await listen({ port: 0, host: '127.0.0.1' })
    servers.push(tcp)
    const socket = `isopod-honeypot-${name}`
    // Abstract sockets belong to a network namespace; other systems than Linux have none, and a container no way there.
    if (process.platform === 'linux') servers.push(await listen({ path: `\0${socket}` }))
    const address = tcp.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return { file, secret, token, port, socket, visits: () => visits, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
