import { expect, test } from 'vitest'
import { readEventStream } from '../src/site/parts/event-stream.ts'

/** Reads a text that arrives in chunks of the given size. */
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
  'events arrive whole from chunks of %i bytes, without the heartbeats',
  async (size) => {
    expect(await read(TEXT, size)).toEqual(EVENTS)
  },
)

test('an event that the end of the connection has cut is dropped', async () => {
  expect(await read(TEXT.slice(0, -1), 10)).toEqual(EVENTS.slice(0, 1))
})
