import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../src/index.ts'

it('finds ports that can be listened on, and that no connection is given', async () => {
  const [firstOfConnections = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .split('\t')
    .map(Number)
  const port = await freePort()
  expect(port).toBeLessThan(firstOfConnections)
  const server = createServer()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  server.close()
})
