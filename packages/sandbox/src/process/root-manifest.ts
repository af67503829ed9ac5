import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Files are read through it. */
const BUFFER = Buffer.allocUnsafe(1 << 20)

/** First line of a manifest. */
export interface RootHeader {
  readonly digest: string
  /** Epoch milliseconds. */
  readonly madeAt: number
  readonly bytes: number
  readonly files: number
  /** Fingerprint of what the image was built from. */
  readonly content?: string | undefined
}

/**
 * One file of a root: path, mode with the kind of file, owner, and what it contains: the SHA-256 of a regular file, the target
 * of a symbolic link. Without times, so that a copy of a root has the same manifest.
 */
type Entry = readonly [path: string, mode: number, uid: number, gid: number, content: string]

/** A root's files, in an order that does not depend on the file system. Synchronous: five times as fast for many small files. */
export function* entriesOf(root: string, path = ''): Generator<[Entry, Stats]> {
  const stats = lstatSync(join(root, path))
  yield [[path, stats.mode, stats.uid, stats.gid, contentOf(join(root, path), stats)], stats]
  if (!stats.isDirectory()) return
  for (const name of readdirSync(join(root, path)).sort()) yield* entriesOf(root, `${path}/${name}`)
}

function contentOf(path: string, stats: Stats): string {
  if (stats.isSymbolicLink()) return readlinkSync(path)
  if (!stats.isFile()) return ''
  const hash = createHash('sha256')
  const file = openSync(path, 'r')
  try {
    for (let count = readSync(file, BUFFER); count > 0; count = readSync(file, BUFFER)) {
      hash.update(BUFFER.subarray(0, count))
    }
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}

/**
 * Writes the manifest of a root. Removes devices, sockets and named pipes: no program may reach a device, and two sandboxes could
 * talk through one pipe.
 */
export async function writeManifest(
  root: string,
  image: Pick<RootHeader, 'digest' | 'content'>,
  file: string,
): Promise<void> {
  const lines: string[] = []
  let bytes = 0
  for (const [entry, stats] of entriesOf(root)) {
    if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) {
      await rm(join(root, entry[0]))
      continue
    }
    if (stats.isFile()) bytes += stats.size
    lines.push(JSON.stringify(entry))
  }
  const header: RootHeader = { ...image, madeAt: Date.now(), bytes, files: lines.length }
  const text = [JSON.stringify(header), ...lines].map((line) => `${line}\n`)
  await writeFile(file, text, { mode: 0o644 })
}

/** The header of a manifest; undefined if there is none that can be read. */
export async function readHeader(file: string): Promise<RootHeader | undefined> {
  const handle = await open(file).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    for await (const line of handle.readLines()) {
      // Written by this module only, into a directory that belongs to the host's operator: a damaged one is no JSON.
      const header = parsed(line) as RootHeader | undefined
      return typeof header?.digest === 'string' ? header : undefined
    }
    return undefined
  } finally {
    await handle.close()
  }
}

/** Compares a root with its manifest. @returns `changed PATH`, `missing PATH` or `added PATH` for each, and unreadable lines */
export async function compareWithManifest(root: string, file: string): Promise<string[]> {
  const expected = new Map<string, string>()
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  const differences: string[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (number === 1) continue
    const entry = parsed(line)
    if (Array.isArray(entry)) expected.set(String(entry[0]), line)
    else differences.push(`unreadable line ${number} of the manifest`)
  }
  for (const [entry] of entriesOf(root)) {
    const known = expected.get(entry[0])
    expected.delete(entry[0])
    if (known === JSON.stringify(entry)) continue
    differences.push(`${known === undefined ? 'added' : 'changed'} ${entry[0] || '/'}`)
  }
  return [...differences, ...[...expected.keys()].map((path) => `missing ${path}`)]
}

/** The value of a line of JSON; undefined if it is none. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
