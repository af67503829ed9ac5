import type { FastifyReply } from 'fastify'
import { RequestRefused } from './problem.ts'

/** The reason of an abort by disconnect, so that it does not count as a bug; no response is sent. */
const GONE = { status: 499, code: 'caller_gone', detail: 'The caller closed the connection.' }

/** A signal that is aborted when the caller disconnects before it has the whole response. */
export function untilDisconnect(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const leave = () => {
    if (!reply.raw.writableFinished) controller.abort(new RequestRefused(GONE))
  }
  reply.raw.once('close', leave)
  // The close event of a caller that disconnected earlier has already been emitted.
  if (reply.raw.destroyed || reply.request.raw.socket.destroyed) leave()
  return controller.signal
}
