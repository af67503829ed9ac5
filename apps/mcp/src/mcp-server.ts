import { InvalidJobError, IsopodError, VERSION } from '@isopod/protocol'
import type { Logger } from '@isopod/telemetry'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ProgressToken,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js'
import { callRequestSchema } from './call-request.ts'
import type { Calls } from './calls.ts'
import type { ReportProgress } from './run-job.ts'
import type { LazyConnection } from './tool-client.ts'
import { inArgumentNames } from './tools/arguments.ts'
import type { Tool } from './tools/tool.ts'

const INSTRUCTIONS =
  'Runs code in isolated single-use containers without network. Calls share no state, so each program must be complete. ' +
  'status "execution_error" and "timeout" describe the code; "setup_error" means that it did not run, and error_message says why.'

/** Shared by the servers of all clients of this process. */
export interface McpServerParts {
  readonly tools: readonly Tool[]
  readonly connection: LazyConnection
  readonly calls: Calls
  readonly logger: Logger
}

/**
 * Creates the server of one client.
 *
 * It uses the SDK's `Server`, because `McpServer` answers invalid arguments with a dump of schema issues, and the MCP document
 * asks for a `setup_error` with a description.
 */
export function createMcpServer(parts: McpServerParts): Server {
  const { tools, logger } = parts
  const server = new Server(
    { name: 'isopod', title: 'Isopod', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.onerror = (err) => logger.debug({ err }, 'a message could not be received or sent')
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ definition }) => definition),
  }))
  server.setRequestHandler(callRequestSchema, async ({ params }, { signal, _meta, sendNotification }) => {
    const tool = tools.find(({ definition }) => definition.name === params.name)
    if (tool === undefined) {
      const names = tools.map(({ definition }) => definition.name).join(', ')
      throw new McpError(ErrorCode.InvalidParams, `name: there is no such tool; the tools are ${names}`)
    }
    const report = progressReporter(_meta?.progressToken, sendNotification)
    return await answerCall(parts, tool, params.arguments ?? {}, { signal, report })
  })
  return server
}

/** Answers one call. After any error the caller gets a sentence, never a stack trace. */
async function answerCall(
  { connection, calls, logger }: McpServerParts,
  tool: Tool,
  given: unknown,
  about: { signal: AbortSignal; report: ReportProgress | undefined },
): Promise<CallToolResult> {
  const startedAt = performance.now()
  const note = (outcome: string) => ({
    tool: tool.definition.name,
    outcome,
    seconds: Math.round(performance.now() - startedAt) / 1000,
  })
  try {
    const context = { client: () => connection.client(), ...about }
    const answer = await calls.run(() => tool.call(given, context))
    logger.info(note(String(answer._meta?.['isopod/status'] ?? 'answered')), 'call answered')
    return answer
  } catch (err) {
    if (about.signal.aborted) {
      logger.info(note('cancelled'), 'call cancelled by its caller')
      return tool.failed('The call was cancelled')
    }
    if (!(err instanceof IsopodError)) {
      logger.error({ err, ...note('bug') }, 'a bug ended the call')
      return tool.failed('The server failed; see its log')
    }
    if (err instanceof InvalidJobError) logger.info(note('refused'), 'call refused')
    else logger.warn({ err, ...note('failed') }, 'call failed')
    return tool.failed(inArgumentNames(err.message))
  }
}

function progressReporter(
  progressToken: ProgressToken | undefined,
  send: (notification: ServerNotification) => Promise<void>,
): ReportProgress | undefined {
  if (progressToken === undefined) return undefined
  return (progress, message) =>
    send({ method: 'notifications/progress', params: { progressToken, progress, message } })
}
