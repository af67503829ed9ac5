import { type Result, visibleJson } from '@isopod/protocol'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/** Milliseconds as seconds; 0 for what was never measured. */
export function seconds(ms: number | null): number {
  return Math.round((ms ?? 0) * 1000) / 1_000_000
}

/**
 * The answer of a tool: the structure, and the same as JSON text for clients that only know text. Characters that deceive are
 * escaped in the text; it reads back as it was.
 *
 * @param result what became of the job. Our finer status, its id, and what was cut or warned of have no field in the
 *   document, so they are `_meta`, and what a model should know is a second text.
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
