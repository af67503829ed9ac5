import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/sdk/types.js'
import type { JobClient } from '../job-client.ts'
import type { ReportProgress } from '../run-job.ts'

/** What a tool gets besides its arguments. */
export interface ToolContext {
  /** Connects if need be. @throws {UnavailableError} if Redis does not answer */
  readonly client: () => Promise<JobClient>
  /** Aborted when the caller cancels the call or is gone. */
  readonly signal: AbortSignal
  /** Absent if the caller gave no progress token. */
  readonly report?: ReportProgress | undefined
}

/** One tool: how it presents itself, what it does, how it says that it could not. */
export interface Tool {
  readonly definition: ToolDefinition
  /**
   * Answers one call.
   *
   * @param given the arguments as they came; nothing about them is trusted
   * @throws {IsopodError} if they are wrong, or the platform failed
   */
  call(given: unknown, context: ToolContext): Promise<CallToolResult>
  /** The answer for a call that failed. */
  failed(sentence: string): CallToolResult
}
