import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { DatasetError } from '@isopod/grading'
import { asyncBufferFromFile, type Compressors, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { FileRecord } from './file-record.ts'

/** The first and last bytes of a Parquet file. */
export const PARQUET_MAGIC = Buffer.from('PAR1')

/** Besides Snappy, which the library has. */
const COMPRESSORS: Compressors = {
  GZIP: (bytes) => gunzipSync(bytes),
  BROTLI: (bytes) => brotliDecompressSync(bytes),
  ZSTD: (bytes) => zstdDecompressSync(bytes),
}

/**
 * Yields the rows of a Parquet file as records like those of JSON; holds one row group in memory. A row's number, from 1, serves as its
 * line.
 *
 * @throws {DatasetError} if the file is damaged, or compressed in a way that is not supported
 */
export async function* readParquet(path: string): AsyncGenerator<FileRecord> {
  let line = 1
  try {
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    for (const { num_rows: count } of metadata.row_groups) {
      const range = { rowStart: line - 1, rowEnd: line - 1 + Number(count) }
      const rows = await parquetReadObjects({ file, metadata, compressors: COMPRESSORS, ...range })
      for (const row of rows) yield { value: plainValue(row), place: { file: path, line: line++ } }
    }
  } catch (error) {
    if (error instanceof DatasetError) throw error
    const reason = String(error instanceof Error ? error.message : error).slice(0, 160)
    throw new DatasetError({ file: path, line }, `cannot be read as Parquet (${reason})`)
  }
}

/** A value as JSON has it: no bigints, dates or bytes. An integer above 2**53 becomes text. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainValue(part)]))
}
