import Table from 'cli-table3'
import type { Output } from '../io.ts'

/** A column of a table. */
export interface Column {
  readonly head: string
  readonly align?: 'left' | 'right'
  /** Whether it may be cut where the screen is too narrow; the widest is cut first. @default false */
  readonly flexible?: boolean
}

const GAP = 2
const MIN_FLEXIBLE = 8
/** Width of tables in a file or pipe, in characters. */
const DEFAULT_WIDTH = 100

/** Maximum width of text on an output, in characters. */
export function widthOf(output: Output): number {
  return output.columns || DEFAULT_WIDTH
}

/**
 * A table without lines, no wider than `width` if its flexible columns can be cut enough. Its cells have no colours, so that a
 * terminal and a file get the same bytes.
 */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const widths = columns.map(({ head }, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const total = widths.reduce((sum, one) => sum + one, GAP * (columns.length - 1))
  for (let surplus = total - width; surplus > 0; surplus--) {
    const widest = columns
      .map(({ flexible }, at) => ({ at, size: flexible ? (widths[at] ?? 0) : 0 }))
      .reduce((one, other) => (other.size > one.size ? other : one))
    if (widest.size <= MIN_FLEXIBLE) break
    widths[widest.at] = widest.size - 1
  }
  const top = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' }
  const bottom = { bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' }
  const inner = { left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '' }
  const table = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: widths,
    chars: { ...top, ...bottom, ...inner, middle: ' '.repeat(GAP) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  for (const row of rows) table.push([...row])
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
