import { type Result, visibleJson } from '@isopod/protocol'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/** Milliseconds as seconds; 0 for null. */
export function inSeconds(ms: number | null): number {
  return Math.round((ms ?? 0) * 1000) / 1_000_000
}

/**
 * The answer of a tool: structured content, and the same as JSON text for clients that support only text. In the text,
 * deceptive characters are escaped.
 *
 * @param result adds what the specified structure has no fields for: status and id as `_meta`, truncated output and
 *   warnings as further text blocks
 */
export function answer(
  structure: Record<string, unknown>,
  isError: boolean,
  result?: Result,
): CallToolResult {
  const notes = result === undefined ? [] : notesOf(result)
  return {
    structuredContent: structure,
    content: [visibleJson(structure), ...notes].map((text) => ({ type: 'text', text })),
    isError,
    ...(result && { _meta: { 'isopod/job': result.id, 'isopod/status': result.status } }),
  }
}

function notesOf({ truncated, warnings, limitsApplied }: Result): string[] {
  const cut = (['stdout', 'stderr'] as const).filter((stream) => truncated[stream])
  const size = limitsApplied === null ? '' : ` after ${limitsApplied.outputBytes} bytes`
  return [...cut.map((stream) => `${stream} was cut${size}`), ...warnings]
}
