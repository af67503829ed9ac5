import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problemBody } from './problem.ts'

const REFUSALS: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are more than 16 KiB.' },
}
const NOT_HTTP = { status: 400, detail: 'This is not a valid HTTP/1.1 request.' }

/** Answers a request that Node's HTTP parser refused, and closes the connection, whose further bytes cannot be trusted. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, detail } = REFUSALS[error.code ?? ''] ?? NOT_HTTP
  const requestId = randomUUID()
  const body = JSON.stringify(problemBody({ status, code: 'invalid_request', detail }, requestId))
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
