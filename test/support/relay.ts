import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** A relay to a server whose connections can be cut, like a network failure. */
export interface Relay {
  /** URL of the server through the relay. */
  readonly url: string
  /** Cuts all connections; new ones are refused. */
  cut(): void
  /** Accepts connections again, at the same address. */
  mend(): Promise<void>
}

/** Opens a relay to a server of this host. */
export async function openRelay(target: string): Promise<Relay> {
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = createConnection(Number(new URL(target).port), '127.0.0.1')
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
    url: `http://127.0.0.1:${port}`,
    cut() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
    mend: () => listen(port),
  }
}
