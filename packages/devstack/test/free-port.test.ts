import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort, startGateway } from '../src/index.ts'
import { PortTakenError, startOnFreePort } from '../src/process/free-port.ts'
import { startService } from '../src/process/service-process.ts'

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

it('a service is not ready because another one answers on its port', async () => {
  const other = createHttpServer((_, response) =>
    response.end(JSON.stringify({ ok: true, checks: {}, pid: process.pid })),
  )
  await once(other.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const env = { ...process.env, REDIS_URL: 'redis://127.0.0.1:1', PORT: String(port) }
  await expect(startService({ app: 'gateway', env, port, log: '/dev/null' })).rejects.toThrow(
    new PortTakenError('gateway', port),
  )
})

it('a service gets another port if one is taken while it starts', async () => {
  const ports: number[] = []
  const start = async (port: number) => {
    ports.push(port)
    if (ports.length < 3) throw new PortTakenError('worker', port)
    return port
  }
  expect(await startOnFreePort(start)).toBe(ports[2])
  expect(new Set(ports).size).toBe(3)
  await expect(startOnFreePort((port) => Promise.reject(new PortTakenError('worker', port)))).rejects.toThrow(
    PortTakenError,
  )
})
