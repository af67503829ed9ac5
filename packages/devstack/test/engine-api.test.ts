import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { askEngine, checkEngine } from '../src/engine/engine-api.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

async function listen(server: Server, where: string | number): Promise<Server> {
  server.listen(where)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

const answering = (status: number) => createServer((_, response) => response.writeHead(status).end('OK'))

it('checkEngine reports no problem with an engine that answers a ping, on a socket or over TCP', async () => {
  const socket = join(await temporaryFolder(), 's')
  await listen(answering(200), socket)
  expect(await checkEngine(`unix://${socket}`)).toBeUndefined()
  const { port } = (await listen(answering(200), 0)).address() as AddressInfo
  expect(await checkEngine(`tcp://127.0.0.1:${port}`, {})).toBeUndefined()
  expect(await checkEngine(`http://127.0.0.1:${port}`, {})).toBeUndefined()
})

it('checkEngine says why an engine is unusable', async () => {
  const folder = await temporaryFolder()
  await listen(answering(500), join(folder, 'ill'))
  await listen(
    createServer(() => {}),
    join(folder, 'silent'),
  )
  expect(await checkEngine(`unix://${folder}/ill`)).toBe('answers 500 to a ping')
  expect(await checkEngine(`unix://${folder}/silent`, {}, 100)).toBe('does not answer (no answer in time)')
  expect(await checkEngine(`unix://${folder}/none`)).toBe('does not answer (ENOENT)')
  expect(await checkEngine('ssh://somewhere', {})).toMatch(/only unix:\/\/, tcp:\/\//)
  expect(await checkEngine('nonsense', {})).toMatch(/nonsense is not an engine's address/)
})

it('askEngine sends method and path, and returns status and body', async () => {
  const socket = join(await temporaryFolder(), 's')
  const server = createServer(({ method, url }, response) => response.writeHead(404).end(`${method} ${url}`))
  await listen(server, socket)
  expect(await askEngine(`unix://${socket}`, 'DELETE /volumes/a%20b?force=1')).toEqual({
    status: 404,
    body: 'DELETE /volumes/a%20b?force=1',
  })
})
