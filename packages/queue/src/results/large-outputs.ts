import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { fetchedFilesSchema, type Result, type StoredResult } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { DeploymentRedis } from '../redis/deployment-redis.ts'
import type { Keys } from '../redis/keys.ts'
import { isMendable } from '../redis/quarantine.ts'
import { isFull } from '../redis/redis-memory.ts'

/** A larger output is stored apart, in bytes of UTF-8; the result keeps as much of its beginning. */
const MAX_INLINE_BYTES = 64 * 1024
/** Size of a piece before compression: Redis answers no other command while it reads or writes one. */
const PIECE_BYTES = 512 * 1024
/** Maximum number of pieces of an output that readers fetch; other programs can write results. */
const MAX_PIECES = 64
/** How long outputs without a published result stay, in seconds. */
const UNPUBLISHED_SECONDS = 3600
/** Names of outputs. `files` is the JSON of all files. */
const NAMES = ['stdout', 'stderr', 'raw.stdout', 'raw.stderr', 'compileOutput', 'files'] as const
/** For readers that do not fetch the files. */
const FILES_WARNING = 'files: large ones are missing in this copy of the result'

const compress = promisify(deflate)
const decompress = promisify(inflate)

/** Writes a field of outputs, which expire. KEYS: the outputs. ARGV: the field, its value, time to live in seconds. */
const WRITE = `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
`

/** A result without its large outputs, and these. */
interface SplitResult {
  readonly shortened: StoredResult
  readonly outputs: ReadonlyMap<string, Buffer>
}

/** Splits large outputs off a result; undefined if it has none. */
export function splitResult(result: Result): SplitResult | undefined {
  const outputs = new Map<(typeof NAMES)[number], Buffer>()
  const shorten = (name: (typeof NAMES)[number], text: string) => {
    if (Buffer.byteLength(text) <= MAX_INLINE_BYTES) return text
    const bytes = Buffer.from(text)
    outputs.set(name, bytes)
    return firstPart(bytes)
  }
  const { compileOutput, raw, files, truncated, warnings } = result
  const stdout = shorten('stdout', result.stdout)
  const stderr = shorten('stderr', result.stderr)
  const compiled = compileOutput !== undefined && { compileOutput: shorten('compileOutput', compileOutput) }
  const shortRaw = raw && {
    ...(raw.stdout !== undefined && { stdout: shorten('raw.stdout', raw.stdout) }),
    ...(raw.stderr !== undefined && { stderr: shorten('raw.stderr', raw.stderr) }),
  }
  const small = Object.entries(files ?? {}).filter(([, { content }]) => content.length <= MAX_INLINE_BYTES)
  const hasLargeFiles = files !== undefined && small.length < Object.keys(files).length
  if (hasLargeFiles) outputs.set('files', Buffer.from(JSON.stringify(files)))
  if (outputs.size === 0) return undefined
  const pieces = [...outputs].map(([name, bytes]) => [name, Math.ceil(bytes.byteLength / PIECE_BYTES)])
  const isCut = (stream: 'stdout' | 'stderr') => outputs.has(stream) || outputs.has(`raw.${stream}`)
  const shortened = {
    ...{ ...result, stdout, stderr, ...compiled, ...(shortRaw && { raw: shortRaw }) },
    ...(hasLargeFiles && { files: Object.fromEntries(small), warnings: [...warnings, FILES_WARNING] }),
    truncated: { stdout: truncated.stdout || isCut('stdout'), stderr: truncated.stderr || isCut('stderr') },
    storedApart: { pieces: Object.fromEntries(pieces), truncated },
  }
  return { shortened, outputs }
}

/** The beginning of a text, without the bytes of a character that is cut; a multiple of 4, as base64 needs it. */
function firstPart(bytes: Buffer): string {
  let length = MAX_INLINE_BYTES
  while (((bytes[length] ?? 0) & 0b1100_0000) === 0b1000_0000) length -= 1
  return bytes.toString('utf8', 0, length)
}

/** Stores outputs as {@link writeOutputs} does; false if Redis has no room for them. */
export async function storeOutputs(
  redis: Redis,
  key: string,
  outputs: SplitResult['outputs'],
): Promise<boolean> {
  try {
    await writeOutputs(redis, key, outputs)
    return true
  } catch (error) {
    if (!isFull(error)) throw error
    await redis.unlink(key)
    return false
  }
}

/**
 * Writes outputs, compressed and in pieces. They expire unless the result is published.
 *
 * @param key of one start of the job, so that an overtaken start replaces nothing
 */
async function writeOutputs(redis: Redis, key: string, outputs: SplitResult['outputs']): Promise<void> {
  const write = (field: string, value: Buffer | number) =>
    redis.eval(WRITE, 1, key, field, value, UNPUBLISHED_SECONDS)
  let stored = 0
  let length = 0
  for (const [name, bytes] of outputs) {
    for (let first = 0; first < bytes.byteLength; first += PIECE_BYTES) {
      const piece = await compress(bytes.subarray(first, first + PIECE_BYTES), { level: 1 })
      await write(`${name}:${first / PIECE_BYTES}`, piece)
      stored += piece.byteLength
    }
    length += bytes.byteLength
  }
  await write('bytes', stored)
  await write('length', length)
}

/** Calls Redis; bounds or translates what callers see. */
type Ask = DeploymentRedis['ask']

/** Puts the large outputs back into a result. One that is missing or damaged stays shortened, and marked as truncated. */
export async function wholeResult(
  ask: Ask,
  keys: Keys,
  { storedApart, ...result }: StoredResult,
): Promise<Result> {
  if (storedApart === undefined) return result
  const found = new Map<string, string>()
  for (const name of NAMES) {
    const pieces = storedApart.pieces[name] ?? 0
    if (pieces === 0) continue
    const text = await readOutput(ask, keys.outputs(result.id), name, pieces)
    if (text !== undefined) found.set(name, text)
  }
  const isWhole = (name: string) => !storedApart.pieces[name] || found.has(name)
  const truncatedOf = (stream: 'stdout' | 'stderr') =>
    isWhole(stream) && isWhole(`raw.${stream}`) ? storedApart.truncated[stream] : true
  const raw = { ...result.raw }
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = found.get(`raw.${stream}`)
    if (text !== undefined) raw[stream] = text
  }
  const compileOutput = found.get('compileOutput')
  const files = parseFiles(found.get('files'))
  return {
    ...result,
    stdout: found.get('stdout') ?? result.stdout,
    stderr: found.get('stderr') ?? result.stderr,
    ...(result.raw && { raw }),
    ...(compileOutput !== undefined && { compileOutput }),
    ...(files && { files, warnings: result.warnings.filter((warning) => warning !== FILES_WARNING) }),
    truncated: { stdout: truncatedOf('stdout'), stderr: truncatedOf('stderr') },
  }
}

async function readOutput(ask: Ask, key: string, name: string, pieces: number): Promise<string | undefined> {
  if (pieces > MAX_PIECES) return undefined
  const texts: Buffer[] = []
  for (let at = 0; at < pieces; at++) {
    const piece = await ask((redis) => redis.hgetBuffer(key, `${name}:${at}`).catch(refused))
    if (piece === null) return undefined
    const text = await decompress(piece, { maxOutputLength: PIECE_BYTES }).catch(() => undefined)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return Buffer.concat(texts).toString()
}

/** The key is of another type: another program wrote it. */
function refused(error: Error): null {
  if (!isMendable(error)) throw error
  return null
}

function parseFiles(text: string | undefined): Result['files'] {
  if (text === undefined) return undefined
  try {
    return fetchedFilesSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
