import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { openJobsBoard } from '@isopod/queue'
import type { GatewayParts } from '../../gateway-parts.ts'
import { answerRefusals, type Http, sendProblem } from '../../http/create-http.ts'
import { BoardAdapter } from './board-adapter.ts'

const BASE_PATH = '/queues'

/** The strictest policy that bull-board works with: scripts and calls only from and to this gateway. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * `/queues`: bull-board over the jobs queue, read-only. Once keys exist, it is for admins, and the browser asks for the
 * key.
 */
export async function boardRoutes(http: Http, parts: GatewayParts): Promise<void> {
  const { config, callers } = parts
  if (!config.board) return
  const board = await openJobsBoard(config.queue)
  http.addHook('onClose', () => board.close())
  const adapter = new BoardAdapter(BASE_PATH)
  createBullBoard({
    queues: [new BullMQAdapter(board.queue, { readOnlyMode: true, allowRetries: false })],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Isopod queues', hideRedisDetails: true } },
  })
  await http.register(
    async (routes) => {
      const scope = routes as Http
      answerRefusals(scope, parts, (reply, request, refusal) => {
        if (refusal.status === 401) reply.header('www-authenticate', 'Basic realm="Isopod", charset="UTF-8"')
        return sendProblem(reply, request, refusal)
      })
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, takesBasic: true }
      })
      scope.addHook('onRequest', async (request, reply) => {
        reply.header('content-security-policy', POLICY)
        await callers.identify(request.token, 'admin')
      })
      await adapter.serve(scope)
    },
    { prefix: BASE_PATH },
  )
}
