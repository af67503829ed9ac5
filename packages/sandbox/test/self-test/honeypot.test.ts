import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openHoneypot } from '../../src/self-test/honeypot.ts'

async function visit(port: number, say: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.end(say)
  socket.resume()
  await once(socket, 'close')
}

it('a honeypot counts visits of probes only', async () => {
  const bait = await openHoneypot()
  onTestFinished(() => bait.remove())
  await visit(bait.port, 'GET / HTTP/1.1\r\n\r\n')
  expect(bait.visits()).toBe(0)
  await visit(bait.port, bait.token)
  expect(bait.visits()).toBe(1)
})

it('a honeypot leaves nothing behind', async () => {
  const bait = await openHoneypot()
  expect(await readFile(bait.file, 'utf8')).toBe(`${bait.secret}\n`)
  await bait.remove()
  await expect(readFile(bait.file, 'utf8')).rejects.toThrow('ENOENT')
  await expect(visit(bait.port, bait.token)).rejects.toThrow('ECONNREFUSED')
})
