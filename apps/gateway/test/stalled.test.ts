import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { scaled } from '../../../test/support/time-factor.ts'
import { closeWhenStalled } from '../src/http/stalled.ts'

const TIMEOUT_MS = scaled(500)
/** Larger than the send and receive buffers of a connection. */
const LARGE = 'x'.repeat(32 * 1024 * 1024)

async function serve(write: (end: (text: string) => void) => void) {
  const server = createServer((_, response) => {
    closeWhenStalled(response, TIMEOUT_MS)
    write((text) => response.end(text))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const reader = connect(port, '127.0.0.1')
  reader.on('error', () => {})
  onTestFinished(() => void reader.destroy())
  const gone = once(server, 'connection').then(([socket]) => once(socket, 'close'))
  reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  return { reader, gone }
}

it('closeWhenStalled closes the connection of a client that reads nothing', async () => {
  const { reader, gone } = await serve((end) => end(LARGE))
  reader.pause()
  await gone
})

it('closeWhenStalled lets a client that reads slowly receive the whole response', async () => {
  const { reader } = await serve((end) => end(LARGE))
  let bytes = 0
  let pauses = 0
  for await (const chunk of reader) {
    bytes += chunk.length
    if (bytes > (pauses + 1) * 4 * 1024 * 1024) {
      pauses += 1
      await sleep(TIMEOUT_MS / 4)
    }
    if (bytes > LARGE.length) break
  }
  expect(pauses).toBeGreaterThan(5)
})
