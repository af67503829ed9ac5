import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatasetError, type Place, parseRecord } from '@isopod/grading'
import { sizeText } from '@isopod/protocol'
import { UsageError } from '@isopod/service-kit'
import type { FileRecord } from './file-record.ts'
import { firstBytes, type Line, MAX_LINE_BYTES, readLines } from './read-lines.ts'
import { PARQUET_MAGIC, readParquet } from './read-parquet.ts'

/** File names that are read from a folder. */
export const DATA_FILE = /\.(jsonl?(\.gz)?|parquet)$/
/** Result files that MultiPL-E writes next to the completions. */
const JUDGED_FILE = /\.results\.json(\.gz)?$/

/**
 * Reads the records of a file: one per line, one JSON document that is a record or a list of records, or the rows of a Parquet file
 * (a record's number in the list then serves as its line). In a folder, reads all `.json` and `.jsonl` files, gzipped or not, and
 * all `.parquet` files, in alphabetical order.
 *
 * @throws {UsageError} if it cannot be read
 * @throws {DatasetError} for invalid JSON, with file and line
 */
export async function* readRecords(path: string): AsyncGenerator<FileRecord> {
  for (const file of await filesOf(path)) {
    const isParquet = (await firstBytes(file, PARQUET_MAGIC.byteLength)).equals(PARQUET_MAGIC)
    yield* isParquet ? readParquet(file) : recordsOf(file)
  }
}

async function filesOf(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return [path]
  const names = (await readdir(path)).filter((name) => DATA_FILE.test(name) && !JUDGED_FILE.test(name)).sort()
  if (names.length > 0) return names.map((name) => join(path, name))
  throw new UsageError(
    `${JSON.stringify(path)}: must contain .json or .jsonl files, optionally with .gz, or .parquet files`,
  )
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

/** The value of the first line, or of the whole document if the first line is not complete JSON. */
async function firstValue(first: Line, rest: AsyncIterable<Line>, place: Place): Promise<unknown> {
  try {
    return parseRecord(first.text)
  } catch (error) {
    // The first line of a multi-line document opens an object or a list.
    if (!/^\s*[[{]/.test(first.text)) throw notJson(error, place)
    const texts = [first.text]
    let size = first.text.length
    for await (const { text } of rest) {
      texts.push(text)
      size += text.length
      if (size > MAX_LINE_BYTES) {
        throw new DatasetError(
          place,
          `must have one record per line, or be at most ${sizeText(MAX_LINE_BYTES)}`,
        )
      }
    }
    return parse(texts.join('\n'), place)
  }
}

function parse(text: string, place: Place): unknown {
  try {
    return parseRecord(text)
  } catch (error) {
    throw notJson(error, place)
  }
}

/** Sanitizes the parser's message, because it quotes the input. */
function notJson(error: unknown, place: Place): DatasetError {
  const words = String(error instanceof Error ? error.message : error).replace(/[^\x20-\x7e]/g, '?')
  // The parser counts lines from the start of the record, not of the file.
  const reason = words.replace(/ \(line \d+ column \d+\)$/, '')
  return new DatasetError(place, `must be JSON (${reason.slice(0, 160)})`)
}
