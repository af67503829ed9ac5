import type { FastifyReply } from 'fastify'
import { RequestRefused } from './problem.ts'

/** Keeps a caller that hung up from being counted as a bug; no answer is sent. */
const GONE = { status: 499, code: 'caller_gone', detail: 'The caller closed the connection.' }

/** A signal that is aborted when the caller is gone before it had its answer. */
export function untilDisconnect(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const leave = () => {
    if (!reply.raw.writableFinished) controller.abort(new RequestRefused(GONE))
  }
  reply.raw.once('close', leave)
  // A caller that left while Redis was asked is announced only once.
  if (reply.raw.destroyed || reply.request.raw.socket.destroyed) leave()
  return controller.signal
}
