import { isUtf8 } from 'node:buffer'
import type { UncheckedJob } from '../../../submissions.ts'
import { base64File, decodeBytes } from '../base64.ts'
import { checkedJob, refusedFields } from '../field-errors.ts'
import type { ExecuteRequest } from './execute-schema.ts'
import { PISTON_FIELD_NAMES } from './refusals.ts'

const DEFAULT_RUN_MS = 3000
const OUTPUT_BYTES = 1024 * 1024
const HEX = /^[0-9a-f]*$/i

/**
 * The job of a request: its first file is the program, the others are files of the workspace.
 *
 * @throws {RequestRefused} 422 naming the fields as Piston does
 */
export function jobOfExecute(request: ExecuteRequest, language: string): UncheckedJob {
  const [program = Buffer.alloc(0), ...others] = request.files.map(decoded)
  if (!isUtf8(program)) throw refusedFields([{ field: 'files[0].content', message: 'must be UTF-8 text' }])
  const files = others.map((bytes, index) => {
    const name = request.files[index + 1]?.name || `file${index + 1}.code`
    return [name, base64File(bytes)] as const
  })
  const { stdin, args, run_memory_limit: memory, run_cpu_time: cpuMs } = request
  const names = new Set(files.map(([name]) => name))
  if (names.size < files.length)
    throw refusedFields([{ field: 'files', message: 'must have different names' }])
  return checkedJob(
    {
      language,
      code: program.toString('utf8'),
      ...(files.length > 0 && { files: Object.fromEntries(files) }),
      ...(stdin && { stdin }),
      ...(args && args.length > 0 && { args }),
      limits: {
        timeoutSeconds: (request.run_timeout ?? DEFAULT_RUN_MS) / 1000,
        ...(cpuMs && { cpuSeconds: cpuMs / 1000 }),
        ...(memory && memory > 0 && { memoryMb: Math.ceil(memory / 1024 / 1024) }),
        outputBytes: OUTPUT_BYTES,
        onOverflow: 'kill',
      },
    },
    PISTON_FIELD_NAMES,
  )
}

function decoded({ content, encoding }: ExecuteRequest['files'][number], index: number): Buffer {
  const field = `files[${index}].content`
  if (encoding === 'hex') {
    if (HEX.test(content) && content.length % 2 === 0) return Buffer.from(content, 'hex')
    throw refusedFields([{ field, message: 'must be valid hex' }])
  }
  if (encoding !== 'base64') return Buffer.from(content, 'utf8')
  const bytes = decodeBytes(content)
  if (bytes !== undefined) return bytes
  throw refusedFields([{ field, message: 'must be valid base64' }])
}
