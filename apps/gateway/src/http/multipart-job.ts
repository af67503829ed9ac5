import { isUtf8 } from 'node:buffer'
import { Busboy } from '@fastify/busboy'
import { type JobFile, MAX_FILES, MAX_FILES_BYTES } from '@isopod/protocol'
import { parseJsonBody } from './json-body.ts'
import { badRequest, invalidField } from './problem.ts'

/** Name of the part with the job; all other parts are files. */
const JOB_PART = 'job'
/** Separates a part's header from its bytes. */
const HEADER_END = '\r\n\r\n'
/** Maximum bytes of a part's header: the longest path, and room for a type. */
const MAX_HEADER_BYTES = 4096

/**
 * Reads a job sent as `multipart/form-data`: a part `job` with its JSON, and a part for each file, named by its path.
 * Files are kept byte for byte. The client validates the job, including paths and sizes.
 *
 * @param body bounded by the server
 * @throws {RequestRefused} 400 naming the part
 */
export async function parseMultipartJob(contentType: string, body: Buffer): Promise<unknown> {
  const parts = await readParts(contentType, body)
  const jobs = parts.filter(({ name }) => name === JOB_PART)
  const [part] = jobs
  if (part === undefined || jobs.length > 1) {
    throw invalidField(JOB_PART, 'must be one part with the job as JSON')
  }
  const job = parseJsonBody(part.bytes)
  if (typeof job !== 'object' || job === null || Array.isArray(job)) {
    throw invalidField(JOB_PART, 'must be an object')
  }
  const given: unknown = Reflect.get(job, 'files')
  // The client refuses `files` that are not an object.
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) return job
  const files = new Map<string, unknown>(Object.entries(given ?? {}))
  for (const { name, bytes } of parts) {
    if (name === JOB_PART) continue
    if (files.has(name)) throw invalidField(`files.${name}`, 'must not appear twice')
    files.set(name, fileOf(bytes))
  }
  return files.size === 0 ? job : { ...job, files: Object.fromEntries(files) }
}

interface Part {
  readonly name: string
  readonly bytes: Buffer
}

function readParts(contentType: string, body: Buffer): Promise<readonly Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Part[]>()
  const heads = partHeads(contentType, body)
  const parts: Part[] = []
  const broken = () => reject(badRequest('The body is not valid multipart/form-data.'))
  let parser: Busboy
  try {
    parser = new Busboy({
      headers: { 'content-type': contentType },
      // Read every part as bytes, whatever content type it declares.
      isPartAFile: () => true,
      limits: { parts: MAX_FILES + 1, headerSize: MAX_HEADER_BYTES },
    })
  } catch {
    throw invalidField('Content-Type', 'must be multipart/form-data with a boundary')
  }
  parser.on('partsLimit', () => reject(invalidField('files', `must be at most ${MAX_FILES} files`)))
  parser.on('file', (name: string | undefined, stream) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', broken)
    stream.on('end', () => {
      if (name === undefined) broken()
      else parts.push({ name, bytes: Buffer.concat(chunks) })
    })
  })
  parser.on('error', broken)
  parser.on('finish', () => {
    // The parser skips parts that are not form data; without this check such a file would be lost silently.
    if (parts.length === heads.length) resolve(parts)
    else broken()
  })
  try {
    // The parser never finishes if the header of a part has no end.
    if (heads.every((head) => head.includes(HEADER_END))) parser.end(body)
    else broken()
  } catch {
    // The parser throws for header names that are names of methods, such as `constructor`.
    broken()
  }
  return promise
}

/** Each part from its delimiter to the next one. */
function partHeads(contentType: string, body: Buffer): readonly Buffer[] {
  const [, quoted, plain = quoted ?? ''] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? []
  const delimiter = Buffer.from(`\r\n--${plain}`)
  const starts = body.indexOf(delimiter.subarray(2)) === 0 ? [0] : []
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) starts.push(at)
  // The last delimiter ends the body.
  return starts.slice(0, -1).map((start, index) => body.subarray(start, starts[index + 1]))
}

/** UTF-8 content stays text; other content becomes base64. */
function fileOf(bytes: Buffer): JobFile {
  // Cut at one byte above the maximum: the client then refuses the file by its size.
  const kept = bytes.subarray(0, MAX_FILES_BYTES + 1)
  if (isUtf8(kept)) return { content: kept.toString('utf8'), encoding: 'utf8' }
  return { content: kept.toString('base64'), encoding: 'base64' }
}
