import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** A relay to a server whose connections can be cut or silenced, like a network failure. */
export interface Relay {
  /** URL of the server through the relay. */
  readonly url: string
  /** Cuts all connections; new ones are refused. */
  cut(): void
  /** Drops everything on the present connections without closing them, like a peer that lost its power; new ones work. */
  silence(): void
  /** Accepts connections again, at the same address. */
  mend(): Promise<void>
}

/** Opens a relay to a server of this host: the URL of a port, or `redis+unix://` and the path of a socket. */
export async function openRelay(target: string): Promise<Relay> {
  const { protocol, pathname, port: targetPort } = new URL(target)
  const isSocket = protocol.endsWith('+unix:')
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = isSocket ? createConnection(pathname) : createConnection(Number(targetPort), '127.0.0.1')
    incoming.pipe(outgoing).pipe(incoming)
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `${isSocket ? 'redis' : 'http'}://127.0.0.1:${port}`,
    cut() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
    silence() {
      // The server keeps its side of a dead connection, as it does when no packet arrives.
      for (const socket of sockets) socket.unpipe().resume()
    },
    mend: () => listen(port),
  }
}
