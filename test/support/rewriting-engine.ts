import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** The JSON body of the call that creates a container. */
export type CreateOptions = Record<string, unknown> & { HostConfig: Record<string, unknown> }

/**
 * A relay to the engine that changes the options of new containers for jobs and for the pool, so that a test sees which check
 * notices the change. All other calls pass unchanged, including those for the platform's helper containers.
 */
export class RewritingEngine {
  readonly path: string
  /** The options that the worker requested, one entry per container. */
  readonly asked: CreateOptions[] = []
  readonly #to: string
  readonly #server: Server
  readonly #wires = new Set<Duplex>()
  #sent = { bytes: 0 }
  /** Changes the options of a new container in place; does nothing by default. */
  rewrite: (options: CreateOptions) => void = () => {}

  /** @param path path of the relay's socket @param to path of the engine's socket */
  constructor(path: string, to: string) {
    this.path = path
    this.#to = to
    this.#server = createServer((near, answer) => void this.#forward(near, answer))
    // The worker attaches to a container; after the upgrade the connection carries raw bytes to and from init.
    this.#server.on('upgrade', (near, socket, head) => {
      // `head` can begin with the body of the attach call, which is not sent to init.
      const sent = this.#sent
      sent.bytes += head.length - Number(near.headers['content-length'] ?? 0)
      socket.on('data', (chunk: Buffer) => {
        sent.bytes += chunk.length
      })
      const far = connect({ path: to, allowHalfOpen: true }, () => {
        const request = `${near.method} ${near.url} HTTP/1.1\r\n${headerLines(near)}\r\n`
        // Written at once, because the engine takes bytes that arrive later, even those of the body, for the container's input.
        far.write(Buffer.concat([Buffer.from(request), head]))
        far.pipe(socket).pipe(far)
      })
      this.#wires.add(socket)
      far.on('error', () => socket.destroy())
      socket.on('error', () => far.destroy())
      far.on('close', () => socket.destroy())
      socket.on('close', () => {
        this.#wires.delete(socket)
        far.destroy()
      })
    })
  }

  /** Bytes sent to init of all containers since the last {@link forget}. */
  get sent(): number {
    return this.#sent.bytes
  }

  /** Forgets what was asked and sent. Containers from before do not count any more: a job's container ends after its result. */
  forget(): void {
    this.asked.length = 0
    this.#sent = { bytes: 0 }
  }

  async open(): Promise<void> {
    await rm(this.path, { force: true })
    this.#server.listen(this.path)
    await once(this.#server, 'listening')
  }

  /** Ends every connection, including those to containers. */
  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    for (const wire of this.#wires) wire.destroy()
    await rm(this.path, { force: true })
  }

  async #forward(near: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method, url, headers } = near
    const isCreate = method === 'POST' && /\/containers\/create(\?|$)/.test(url ?? '')
    const body = isCreate ? this.#changed(await buffer(near)) : undefined
    const length = body === undefined ? {} : { 'content-length': String(body.byteLength) }
    const far = request(
      { socketPath: this.#to, method, path: url, headers: { ...headers, ...length } },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers)
        // Streams long responses (logs, waits).
        answer.flushHeaders()
        reply.pipe(answer)
      },
    )
    far.on('error', () => answer.destroy())
    answer.on('close', () => far.destroy())
    if (body === undefined) near.pipe(far)
    else far.end(body)
  }

  #changed(body: Buffer): Buffer {
    const options = JSON.parse(body.toString()) as CreateOptions & { Labels?: Record<string, string> }
    if (options.Labels?.['isopod.lifetime'] === undefined) return body
    this.asked.push(structuredClone(options))
    this.rewrite(options)
    return Buffer.from(JSON.stringify(options))
  }
}

function headerLines({ rawHeaders }: IncomingMessage): string {
  let lines = ''
  for (let at = 0; at < rawHeaders.length; at += 2) lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`
  return lines
}
