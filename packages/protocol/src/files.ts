import { z } from 'zod'
import { fields, listOf, oneOf, recordOf, sizeText, utf8Bytes } from './schema.ts'

/** Maximum number of files of one job. */
export const MAX_FILES = 64
/** Maximum number of files of one result. */
export const MAX_FETCHED_FILES = 16
/** Maximum total size of the files of one result, in bytes. */
export const MAX_FETCHED_BYTES = 4 * 1024 * 1024
/** Maximum total size of the files of one job, in bytes after decoding. */
export const MAX_FILES_BYTES = 5 * 1024 * 1024

const PATH_RULE =
  'must be a relative path of at most 255 bytes whose parts start with a letter, a digit, "_" or "." and hold only letters, digits, spaces and "._+@=,-"; ".", ".." and ".isopod" are not allowed'
const FILE_RULE = 'must be the text of the file, or an object of content and encoding'
const SEGMENT = /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N} ._+@=,-]*$/u
/** Without repeated groups, which use stack for every four characters of a large file. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Whether a path may name a workspace file: relative, without `..` and characters that a shell or option parser interprets. */
export function isSafePath(path: string): boolean {
  return (
    utf8Bytes(path) <= 255 &&
    path.split('/').every((part) => SEGMENT.test(part) && part !== '.' && part !== '..' && part !== '.isopod')
  )
}

const fullFileSchema = fields({
  /** The file's text, or its bytes in base64. */
  content: z.string({ error: 'must be text' }),
  /** Encoding of `content`. @default 'utf8' */
  encoding: oneOf(['utf8', 'base64']).default('utf8'),
}).refine((file) => file.encoding === 'utf8' || isBase64(file.content), {
  error: 'must be valid base64',
  path: ['content'],
})

/** A file, or only its text. */
export const fileSchema = z
  .custom<string | z.input<typeof fullFileSchema>>()
  .transform((given, context): z.input<typeof fullFileSchema> => {
    if (typeof given === 'string') return { content: given }
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
    context.issues.push({ code: 'custom', message: FILE_RULE, input: given })
    return z.NEVER
  })
  .pipe(fullFileSchema)

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text)
}

/** One file of a job. */
export type JobFile = z.infer<typeof fileSchema>

/** Size of a file after decoding, in bytes. */
export function fileBytes(file: JobFile): number {
  if (file.encoding === 'utf8') return utf8Bytes(file.content)
  const padding = file.content.endsWith('==') ? 2 : file.content.endsWith('=') ? 1 : 0
  return (file.content.length / 4) * 3 - padding
}

/** Total size of the files after decoding, in bytes. */
export function filesBytes(files: Readonly<Record<string, JobFile>>): number {
  return Object.values(files).reduce((sum, file) => sum + fileBytes(file), 0)
}

/** Files to write to the workspace before the program starts: relative path → file, or its text. */
export const filesSchema = recordOf(
  z.string().refine(isSafePath, { error: PATH_RULE }),
  fileSchema,
  MAX_FILES,
  {
    key: PATH_RULE,
    object: 'must be an object of path to file',
    max: `must be at most ${MAX_FILES} files`,
  },
).refine((files) => filesBytes(files) <= MAX_FILES_BYTES, {
  error: `must be at most ${sizeText(MAX_FILES_BYTES)} together`,
})

/** Paths of files that the result should contain. */
export const fetchFilesSchema = listOf(
  z.string().refine(isSafePath, { error: PATH_RULE }),
  MAX_FETCHED_FILES,
  {
    list: 'must be a list of paths',
    max: `must be at most ${MAX_FETCHED_FILES} paths`,
  },
).refine((paths) => new Set(paths).size === paths.length, { error: 'must be different paths' })

/** Files that a program wrote: path → bytes in base64. */
export const fetchedFilesSchema = z.record(
  z.string(),
  z.object({ content: z.string(), encoding: z.literal('base64') }),
)
