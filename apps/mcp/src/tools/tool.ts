import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/sdk/types.js'
import type { ReportProgress } from '../run-job.ts'
import type { ToolClient } from '../tool-client.ts'

/** Context of a call, besides its arguments. */
export interface ToolContext {
  /** Connects on first use. @throws {UnavailableError} if Redis does not respond */
  readonly client: () => Promise<ToolClient>
  /** Aborted when the caller cancels the call or disconnects. */
  readonly signal: AbortSignal
  /** Absent if the caller sent no progress token. */
  readonly report?: ReportProgress | undefined
}

/** One tool of the server. */
export interface Tool {
  readonly definition: ToolDefinition
  /**
   * Answers one call.
   *
   * @param given the arguments, untrusted
   * @throws {IsopodError} if they are invalid, or the platform failed
   */
  call(given: unknown, context: ToolContext): Promise<CallToolResult>
  /** The answer to a call that failed. */
  failed(sentence: string): CallToolResult
}
