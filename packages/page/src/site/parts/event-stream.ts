/** One server-sent event. */
export interface ServerEvent {
  readonly id: string
  readonly type: string
  readonly data: string
}

/** Reads server-sent events from the body of an answer: `EventSource` can send no API key. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const frames = (rest + value).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const event = parseFrame(frame)
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** @returns undefined for a frame without data, such as a heartbeat */
function parseFrame(frame: string): ServerEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of frame.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    fields.set(name, value)
  }
  const data = fields.get('data')
  return data === undefined
    ? undefined
    : { id: fields.get('id') ?? '', type: fields.get('event') ?? 'message', data }
}
