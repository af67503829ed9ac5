import { type Result, type Status, visibleJson } from '@isopod/protocol'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/** Linux numbers of the signals that end programs: the program ran on Linux, wherever this server runs (signal(7)). */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
}

/** Stands for an exit code where there was none: a timeout, or a program that never ran. The document knows no null. */
export const NO_EXIT_CODE = -1

/** How a run ended, as one integer: its exit code, or 128 and the signal's number as shells count, or -1. */
export function exitCodeOf(end: { exitCode: number | null; signal: string | null }, status?: Status): number {
  if (status === 'timeout') return NO_EXIT_CODE
  if (end.exitCode !== null) return end.exitCode
  const signal = SIGNALS[end.signal ?? '']
  return signal === undefined ? NO_EXIT_CODE : 128 + signal
}

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
