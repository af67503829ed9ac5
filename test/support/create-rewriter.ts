import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What the engine is asked for when a container is made, as JSON. */
export interface CreateBody {
  User?: string
  HostConfig: Record<string, unknown>
}

/** A way to the engine that changes what containers are made with, behind the worker's back. */
export class CreateRewriter {
  readonly path: string
  readonly #to: string
  readonly #server: Server
  readonly #open = new Set<Socket | Duplex>()
  #rewrite: (body: CreateBody) => void = () => {}
  #created = 0
  #sent = 0

  private constructor(path: string, to: string) {
    this.path = path
    this.#to = to
    this.#server = createServer((incoming, answer) => void this.#forward(incoming, answer))
    this.#server.on('upgrade', (incoming, near, head) => this.#tunnel(incoming, near, head))
  }

  static async listen(path: string, to: string): Promise<CreateRewriter> {
    const rewriter = new CreateRewriter(path, to)
    await once(rewriter.#server.listen(path), 'listening')
    return rewriter
  }

  /** From now on containers are made with this change; nothing counted yet. */
  rewrite(change: (body: CreateBody) => void): void {
    this.#rewrite = change
    this.#created = this.#sent = 0
  }

  /** Containers that were made since the last change, and bytes that the worker has sent into them. */
  get seen(): { readonly created: number; readonly sent: number } {
    return { created: this.#created, sent: this.#sent }
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    for (const socket of this.#open) socket.destroy()
    await rm(this.path, { force: true })
  }

  async #forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method, url = '', headers } = incoming
    let body = Buffer.concat(await incoming.toArray())
    if (method === 'POST' && /\/containers\/create(\?|$)/.test(url)) {
      const asked = JSON.parse(body.toString()) as CreateBody
      this.#rewrite(asked)
      this.#created++
      body = Buffer.from(JSON.stringify(asked))
    }
    const { 'transfer-encoding': _, ...rest } = headers
    const options = {
      socketPath: this.#to,
      method,
      path: url,
      headers: { ...rest, 'content-length': body.length },
    }
    const onward = request(options, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    onward.end(body)
  }

  #tunnel(incoming: IncomingMessage, near: Duplex, head: Buffer): void {
    const far = connect({ path: this.#to, allowHalfOpen: true })
    const names = incoming.rawHeaders.map((text, at) => (at % 2 === 0 ? `\r\n${text}: ` : text)).join('')
    far.write(`${incoming.method} ${incoming.url} HTTP/1.1${names}\r\n\r\n`)
    far.write(head)
    // What is asked for stands in a body of its own, before the wire.
    this.#sent += head.length - Number(incoming.headers['content-length'] ?? 0)
    near.on('data', (chunk: Buffer) => {
      this.#sent += chunk.length
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
