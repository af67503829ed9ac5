import { type Result, visible, visibleJson } from '@isopod/protocol'
import { type Io, note, type Output, write } from '../io.ts'
import { summaryLine } from './summary.ts'

/** A value as one line of JSON, the same for a terminal and a pipe. */
export function jsonLine(value: unknown): string {
  return `${visibleJson(value)}\n`
}

/**
 * Writes a program's stdout to stdout and its stderr to stderr, then a summary line to stderr.
 *
 * @param options.raw writes the program's text unescaped on a terminal, too
 */
export async function showResult(io: Io, result: Result, options: { raw?: boolean }): Promise<void> {
  const raw = options.raw ?? false
  // The warnings of a successful compile run; after a compile error, stdout and stderr are already the compiler's.
  if (result.compileOutput && result.status !== 'compile_error')
    await writeStream(io.stderr, result.compileOutput, undefined, raw)
  await writeStream(io.stdout, result.stdout, result.raw?.stdout, raw)
  await writeStream(io.stderr, result.stderr, result.raw?.stderr, raw)
  // On a terminal, output without a final newline would run into the next line.
  if (io.stderr.isTTY && io.stdout.isTTY && endsOpen(result.stderr || result.stdout)) io.stderr.write('\n')
  else if (endsOpen(result.stderr)) io.stderr.write('\n')
  for (const warning of result.warnings) note(io, visible(`warning: ${warning}`))
  io.stderr.write(`${summaryLine(io, io.stderr, result)}\n`)
}

function endsOpen(text: string): boolean {
  return text !== '' && !text.endsWith('\n')
}

/** A terminal gets escaped text; a file or pipe gets the program's own bytes. */
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
