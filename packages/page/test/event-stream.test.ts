import { expect, test } from 'vitest'
import { readEventStream } from '../src/site/parts/event-stream.ts'

/** Reads a text that comes in chunks of so many bytes. */
async function read(text: string, size: number) {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let from = 0; from < bytes.length; from += size) controller.enqueue(bytes.slice(from, from + size))
      controller.close()
    },
  })
  const events = []
  for await (const event of readEventStream(body)) events.push(event)
  return events
}

const TEXT =
  'id: 1-0\nevent: stdout\ndata: {"text":"é: 😀"}\n\n:\n\nid: finished\nevent: finished\ndata: {"status":"success"}\n\n'
const EVENTS = [
  { id: '1-0', type: 'stdout', data: '{"text":"é: 😀"}' },
  { id: 'finished', type: 'finished', data: '{"status":"success"}' },
]

test.each([1, 2, 3, 7, 1000])(
  'events are read whole from chunks of %i bytes, heartbeats are not',
  async (size) => {
    expect(await read(TEXT, size)).toEqual(EVENTS)
  },
)

test('an event that the connection has cut is left out', async () => {
  expect(await read(TEXT.slice(0, -1), 10)).toEqual(EVENTS.slice(0, 1))
})
