import { type Result, visible, visibleJson } from '@isopod/protocol'
import { type Io, note, type Output, write } from '../io.ts'
import { summaryLine } from './summary.ts'

/** A value as one line of JSON, the same for a terminal and a pipe. */
export function jsonLine(value: unknown): string {
  return `${visibleJson(value)}\n`
}

/**
 * Shows what a program printed where it printed it, and one line on stderr about how it ended.
 *
 * @param options.raw leaves the program's text as it is on a terminal, too
 */
export async function showResult(io: Io, result: Result, options: { raw?: boolean }): Promise<void> {
  const raw = options.raw ?? false
  // A failed compile run is the run whose streams follow; what a good one warned of is only here.
  if (result.compileOutput && result.status !== 'compile_error')
    await writeStream(io.stderr, result.compileOutput, undefined, raw)
  await writeStream(io.stdout, result.stdout, result.raw?.stdout, raw)
  await writeStream(io.stderr, result.stderr, result.raw?.stderr, raw)
  // On one screen, an output without a last newline would run into the line below.
  if (io.stderr.isTTY && io.stdout.isTTY && endsOpen(result.stderr || result.stdout)) io.stderr.write('\n')
  else if (endsOpen(result.stderr)) io.stderr.write('\n')
  for (const warning of result.warnings) note(io, visible(`warning: ${warning}`))
  io.stderr.write(`${summaryLine(io, io.stderr, result)}\n`)
}

function endsOpen(text: string): boolean {
  return text !== '' && !text.endsWith('\n')
}

/** A terminal gets text that can't harm it; a file or pipe gets the program's own bytes. */
async function writeStream(
  output: Output,
  text: string,
  base64: string | undefined,
  raw: boolean,
): Promise<void> {
  if (text === '') return
  if (output.isTTY && !raw) return await write(output, visible(text))
  await write(output, base64 === undefined ? text : Buffer.from(base64, 'base64'))
}
