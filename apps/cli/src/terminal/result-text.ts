import { type Result, visible } from '@isopod/protocol'
import type { Io } from '../io.ts'
import { summaryLine } from './summary.ts'

/** Maximum lines shown per stream in a list of results; `isopod result ID` shows all. */
const MAX_LINES = 20

/** One result in a list: a summary line, then its output; each line is marked `|` (stdout) or `!` (stderr). */
export function resultText(io: Io, result: Result): string {
  const { id, language, compileOutput = '', stdout, stderr, status } = result
  const compiler = status === 'compile_error' ? '' : compileOutput
  return [
    `${visible(`${id}  ${language}`)}  ${summaryLine(io, io.stdout, result)}\n`,
    marked('!', compiler),
    marked('|', stdout),
    marked('!', stderr),
  ].join('')
}

function marked(mark: string, text: string): string {
  if (text === '') return ''
  const lines = text.replace(/\n$/, '').split('\n')
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${mark} ${visible(line)}\n`)
  const more = lines.length - shown.length
  return `${shown.join('')}${more > 0 ? `  ${mark} … and ${more} more lines\n` : ''}`
}
