import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAbandoned, ownedName } from '../owned-name.ts'

const FOLDER = 'isopod-honeypot'

/** How long a visitor may take to send its token, in milliseconds. */
const VISIT_MS = 1_000

/** What probes look for on the worker's own host. */
export interface Honeypot {
  /** A file of this host. */
  readonly file: string
  /** Random text: in the file, and hidden by one neighbour from the other. */
  readonly secret: string
  /** A port on this host's loopback, and the name of an abstract socket, both listening. */
  readonly port: number
  readonly socket: string
  /** What a probe sends if it gets through: other processes of this host may connect to the port, too. */
  readonly token: string
  /** Connections of the probe that reached either. */
  visits(): number
  remove(): Promise<void>
}

/** A confined worker may be able to write to /dev/shm only. */
async function makeFolder(): Promise<string> {
  const make = async (parent: string) => {
    await removeLeftovers(parent)
    const folder = join(parent, ownedName(FOLDER))
    await mkdir(folder)
    return folder
  }
  return await make(tmpdir()).catch(() => make('/dev/shm'))
}

/** Removes honeypots of processes that were killed. Those of other users stay, which this one may not remove. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (isAbandoned(FOLDER, name)) await rm(join(parent, name), { recursive: true }).catch(() => {})
  }
}

/** Opens a honeypot on this host: everything in it is random, so that finding it proves something. */
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
      // A broken connection does not matter.
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
    // Readable for every user, so that only the container keeps a probe from it.
    await chmod(folder, 0o755)
    await writeFile(file, `${secret}\n`, { mode: 0o644 })
    const tcp = await listen({ port: 0, host: '127.0.0.1' })
    servers.push(tcp)
    const socket = `isopod-honeypot-${name}`
    // Only Linux has abstract sockets; they belong to a network namespace.
    if (process.platform === 'linux') servers.push(await listen({ path: `\0${socket}` }))
    const address = tcp.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return { file, secret, token, port, socket, visits: () => visits, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
