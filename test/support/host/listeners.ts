import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Observer } from './observer.ts'

/** Servers on the host that a program in a container must not reach. */
export interface Listeners extends Observer {
  readonly tcpPort: number
  readonly udpPort: number
  /** A socket in the host's file system. */
  readonly socketPath: string
  /** A socket in the abstract name space of the host's network namespace. */
  readonly abstractName: string
  /** The host's own addresses. */
  readonly addresses: readonly string[]
}

/** Opens one server of each kind on every address, and counts their connections. */
export async function listenEverywhere(): Promise<Listeners> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-listen-'))
  const socketPath = join(folder, 'listen.sock')
  const abstractName = basename(folder)
  const heard: string[] = []
  const listen = async (kind: string, where: Parameters<ReturnType<typeof createServer>['listen']>[0]) => {
    const server = createServer((socket) => {
      heard.push(`a program connected to the ${kind} server`)
      socket.on('error', () => {}).destroy()
    })
    server.listen(where)
    await once(server, 'listening')
    return server
  }
  const tcp = await listen('TCP', { host: '0.0.0.0', port: 0 })
  const path = await listen('socket file', { path: socketPath })
  const abstract = await listen('abstract socket', { path: `\0${abstractName}` })
  const udp = createSocket('udp4', () => heard.push('a program sent a datagram')).bind(0, '0.0.0.0')
  await once(udp, 'listening')
  await chmod(folder, 0o777)
  await chmod(socketPath, 0o777)
  const address = tcp.address()
  return {
    tcpPort: typeof address === 'object' && address !== null ? address.port : 0,
    udpPort: udp.address().port,
    socketPath,
    abstractName,
    addresses: Object.values(networkInterfaces()).flatMap(
      (list) => list?.filter(({ family }) => family === 'IPv4').map((one) => one.address) ?? [],
    ),
    findings: async () => [...new Set(heard)],
    async close() {
      for (const server of [tcp, path, abstract]) server.close()
      udp.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
