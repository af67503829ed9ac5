import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openHoneypot } from '../../src/self-test/honeypot.ts'

async function visit(port: number, say: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.end(say)
  socket.resume()
  await once(socket, 'close')
}

it('a honeypot counts visits of probes only', async () => {
  const honeypot = await openHoneypot()
  onTestFinished(() => honeypot.remove())
  await visit(honeypot.port, 'GET / HTTP/1.1\r\n\r\n')
  expect(honeypot.visits()).toBe(0)
  await visit(honeypot.port, honeypot.token)
  expect(honeypot.visits()).toBe(1)
})

it('a honeypot removes those of processes that were killed', async () => {
  const dead = join(tmpdir(), 'isopod-honeypot-4194304-17-00112233aabb')
  await mkdir(dead, { recursive: true })
  const honeypots = [await openHoneypot(), await openHoneypot()]
  onTestFinished(async () => {
    for (const { remove } of honeypots) await remove()
  })
  expect(existsSync(dead)).toBe(false)
  expect(honeypots.map(({ file }) => existsSync(file))).toEqual([true, true])
})

it('a honeypot removes its files and sockets', async () => {
  const honeypot = await openHoneypot()
  expect(await readFile(honeypot.file, 'utf8')).toBe(`${honeypot.secret}\n`)
  await honeypot.remove()
  await expect(readFile(honeypot.file, 'utf8')).rejects.toThrow('ENOENT')
  await expect(visit(honeypot.port, honeypot.token)).rejects.toThrow('ECONNREFUSED')
})
