import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort, startGateway } from '../src/index.ts'

it('freePort finds ports to listen on, outside the range of outgoing connections', async () => {
  const firstOfConnections = Number.parseInt(
    readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'),
    10,
  )
  for (let count = 0; count < 20; count++) {
    const port = await freePort()
    expect(port).toBeLessThan(Math.max(firstOfConnections, 8192))
    const server = createServer()
    await once(server.listen(port, '127.0.0.1'), 'listening')
    server.close()
  }
})

it('startGateway refuses a port that another server uses', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const start = startGateway({ redisUrl: 'redis://127.0.0.1:1', log: '/dev/null', port })
  await expect(start).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use; choose another, or 0 for a free one`,
  )
  server.close()
})
