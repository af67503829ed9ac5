import { once } from 'node:events'
import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { untilDisconnect } from '../src/http/disconnect.ts'
import { sendEvents } from '../src/http/event-stream.ts'

/** Sends a request to a server that asks for its signal only when the caller has left. */
async function leaveEarly(respond: (signal: AbortSignal) => void, isStream = false): Promise<void> {
  const http = fastify()
  onTestFinished(() => http.close())
  const answered = Promise.withResolvers<void>()
  http.get('/', async (request, reply) => {
    const { socket } = request.raw
    // `once` of node:events would reject with the reset.
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

it('a caller that left before the route asked is gone', async () => {
  const aborted: boolean[] = []
  await leaveEarly((signal) => aborted.push(signal.aborted))
  expect(aborted).toEqual([true])
})

it('a stream of events for a caller that left ends at once', async () => {
  await leaveEarly(() => {}, true)
})
