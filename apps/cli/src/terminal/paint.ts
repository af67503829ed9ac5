import { styleText } from 'node:util'
import type { Io, Output } from '../io.ts'

/** A colour or style of the terminal. */
export type Style = 'bold' | 'gray' | 'green' | 'red' | 'yellow'

/** Whether to colour a stream: `NO_COLOR` disables it, then `FORCE_COLOR` decides, then whether it is a capable terminal. */
export function hasColors({ env }: Io, output: Output): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return output.isTTY === true && env['TERM'] !== 'dumb'
}

/** Text in a colour or style, for a stream that {@link hasColors}. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false })
}

/** Text in a colour or style if the stream shows colours, else unchanged. */
export function paintOn(io: Io, output: Output, style: Style, text: string): string {
  return hasColors(io, output) ? paint(style, text) : text
}
