import type { FastifyReply } from 'fastify'

/** A signal that is aborted when the caller is gone before it had its answer. */
export function untilDisconnect(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('the caller is gone'))
  })
  return controller.signal
}
