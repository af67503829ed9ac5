import type { IncomingMessage } from 'node:http'

/** Maximum nesting of lists and objects. A job has four levels, a message three more. */
const MAX_DEPTH = 64

/** A refused body, with its HTTP status. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused'
  readonly status: 400 | 413 | 415

  constructor(status: 400 | 413 | 415, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * Reads a JSON body. Refuses bodies that are too large, too deeply nested, not UTF-8 or of another type before it parses them.
 *
 * @throws {BodyRefused}
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!/^application\/json[ \t]*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new BodyRefused(415, 'Content-Type: must be application/json')
  }
  const text = decode(await bytesOf(request, maxBytes))
  if (depthOf(text) > MAX_DEPTH) {
    throw new BodyRefused(400, `body: must be nested at most ${MAX_DEPTH} deep`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new BodyRefused(400, 'body: must be JSON')
  }
}

async function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new BodyRefused(413, `body: must be at most ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  // Destroying the request would reset the connection before the sender reads the refusal.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BodyRefused(400, 'body: must be UTF-8')
  }
}

/** Nesting depth of a JSON text; does not count brackets in its strings. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth)
    else if (token === ']' || token === '}') depth--
    if (deepest > MAX_DEPTH) break
  }
  return deepest
}
