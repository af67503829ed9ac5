import { once } from 'node:events'
import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { untilDisconnect } from '../src/http/disconnect.ts'
import { sendEvents } from '../src/http/event-stream.ts'

/** Sends a request and disconnects; the route calls `untilDisconnect` only after that. */
async function leaveEarly(respond: (signal: AbortSignal) => void, isStream = false): Promise<void> {
  const http = fastify()
  onTestFinished(() => http.close())
  const answered = Promise.withResolvers<void>()
  http.get('/', async (request, reply) => {
    const { socket } = request.raw
    // Not `once` of node:events: it would reject with the connection's reset.
    await new Promise((resolve) => (socket.destroyed ? resolve(undefined) : socket.on('close', resolve)))
    const signal = untilDisconnect(reply)
    respond(signal)
    async function* endless() {
      for (let id = 0; ; id++) yield { id: String(id), type: 'x', data: 'x'.repeat(100_000) }
    }
    if (isStream) await sendEvents(reply, endless(), { signal: new AbortController().signal, onBroken() {} })
    answered.resolve()
  })
  const url = new URL(await http.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), url.hostname)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(http.server, 'request')
  socket.resetAndDestroy()
  await answered.promise
}

it('untilDisconnect is aborted at once if the caller has already disconnected', async () => {
  const aborted: boolean[] = []
  await leaveEarly((signal) => aborted.push(signal.aborted))
  expect(aborted).toEqual([true])
})

it('sendEvents ends at once if the caller has already disconnected', async () => {
  await leaveEarly(() => {}, true)
})
