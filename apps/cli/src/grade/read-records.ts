import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatasetError, type Place } from '@isopod/grading'
import { sizeText } from '@isopod/protocol'
import { UsageError } from '../usage-error.ts'
import { type Line, MAX_LINE_BYTES, readLines } from './read-lines.ts'

/** One record of a file, and where it stands. */
export interface FileRecord {
  readonly value: unknown
  readonly place: Place
}

/** Names of the files of a folder that are read. */
export const DATA_FILE = /\.jsonl?(\.gz)?$/
/** What MultiPL-E writes beside the files that it has judged. */
const JUDGED_FILE = /\.results\.json(\.gz)?$/

/**
 * The records of a file: one a line, or one JSON document that is a record or a list of them (their number then stands for
 * the line). A folder has those of all its `.json` and `.jsonl` files, packed or not, in the order of their names.
 *
 * @throws {UsageError} if it cannot be read
 * @throws {DatasetError} naming file and line of what is no JSON
 */
export async function* readRecords(path: string): AsyncGenerator<FileRecord> {
  for (const file of await filesOf(path)) yield* recordsOf(file)
}

async function filesOf(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return [path]
  const names = (await readdir(path)).filter((name) => DATA_FILE.test(name) && !JUDGED_FILE.test(name)).sort()
  if (names.length > 0) return names.map((name) => join(path, name))
  throw new UsageError(`${JSON.stringify(path)}: must have files that end in .json, .jsonl or these with .gz`)
}

async function* recordsOf(file: string): AsyncGenerator<FileRecord> {
  const lines = readLines(file)
  let isFirst = true
  for await (const line of lines) {
    if (line.text.trim() === '') continue
    const place = { file, line: line.number }
    const value = isFirst ? await firstValue(line, lines, place) : parse(line.text, place)
    isFirst = false
    if (!Array.isArray(value)) yield { value, place }
    else
      for (const [index, entry] of value.entries()) yield { value: entry, place: { file, line: index + 1 } }
  }
}

/** The record of the first line, or the whole document if its first line alone says nothing. */
async function firstValue(first: Line, rest: AsyncIterable<Line>, place: Place): Promise<unknown> {
  try {
    return JSON.parse(first.text)
  } catch (error) {
    // A document over many lines opens with its bracket alone, or with a first field.
    if (!/^\s*[[{]/.test(first.text)) throw notJson(error, place)
    const texts = [first.text]
    let size = first.text.length
    for await (const { text } of rest) {
      texts.push(text)
      size += text.length
      if (size > MAX_LINE_BYTES) {
        throw new DatasetError(place, `must be one record a line, or at most ${sizeText(MAX_LINE_BYTES)}`)
      }
    }
    return parse(texts.join('\n'), place)
  }
}

function parse(text: string, place: Place): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error, place)
  }
}

/** The parser repeats what it met, which may be anything. */
function notJson(error: unknown, place: Place): DatasetError {
  const words = String(error instanceof Error ? error.message : error).replace(/[^\x20-\x7e]/g, '?')
  // Its own count of lines begins at the record.
  const reason = words.replace(/ \(line \d+ column \d+\)$/, '')
  return new DatasetError(place, `must be JSON (${reason.slice(0, 160)})`)
}
