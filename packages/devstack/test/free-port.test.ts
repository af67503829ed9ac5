import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../src/index.ts'

it('finds ports that can be listened on, and that no connection is given', async () => {
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
