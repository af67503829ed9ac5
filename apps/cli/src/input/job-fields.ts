import { DEFAULT_LIMITS, type JsonSchema, jobJsonSchema } from '@isopod/protocol'
import { Option } from 'commander'

/** How the text of an option becomes the value of a field. */
type Kind = 'text' | 'number' | 'file' | 'json' | 'list' | 'variables' | 'policy'

/** A field of a job that an option sets. */
interface JobField {
  /** Its path in the job. */
  readonly field: string
  readonly flags: string
  /** Help text; range and default are added from the schema. */
  readonly text: string
  readonly kind: Kind
  /** Shown instead of the schema's default. */
  readonly otherwise?: string
}

/** The options that set fields of a job: the source of help, completion, checks and error messages. */
const JOB_FIELDS: readonly JobField[] = [
  {
    field: 'language',
    flags: '-l, --language <name>',
    text: 'name or alias, optionally name@version',
    kind: 'text',
    otherwise: 'by the file’s extension',
  },
  {
    field: 'stdin',
    flags: '-i, --stdin <file>',
    text: 'standard input of the program',
    kind: 'file',
  },
  { field: 'args', flags: '-a, --arg <text>', text: 'an argument of the program; repeatable', kind: 'list' },
  {
    field: 'env',
    flags: '-e, --env <name=value>',
    text: 'a variable of the program; repeatable',
    kind: 'variables',
  },
  {
    field: 'compileArgs',
    flags: '--compile-arg <text>',
    text: 'an argument of its compiler; repeatable',
    kind: 'list',
  },
  {
    field: 'inputData',
    flags: '--input-data <json>',
    text: 'value of the global input_data: JSON, or a file with JSON',
    kind: 'json',
  },
  {
    field: 'limits.timeoutSeconds',
    flags: '-t, --timeout <seconds>',
    text: 'wall-clock limit, which the factor of slow languages multiplies',
    kind: 'number',
  },
  {
    field: 'limits.compileSeconds',
    flags: '--compile-timeout <seconds>',
    text: 'wall-clock limit of the compile run',
    kind: 'number',
  },
  {
    field: 'limits.jobSeconds',
    flags: '--job-timeout <seconds>',
    text: 'limit for compiling and all runs together',
    kind: 'number',
  },
  {
    field: 'limits.memoryMb',
    flags: '-m, --memory <mb>',
    text: 'memory limit in MiB',
    kind: 'number',
    otherwise: `the language’s, else ${DEFAULT_LIMITS.memoryMb}`,
  },
  {
    field: 'limits.cpus',
    flags: '-c, --cpus <n>',
    text: 'processor cores, fractions allowed',
    kind: 'number',
  },
  {
    field: 'repeat',
    flags: '--repeat <n>',
    text: 'run the program n times, and report whether it is flaky',
    kind: 'number',
  },
  {
    field: 'policy',
    flags: '--policy <mode>',
    text: 'policy check of the source: off, warn or enforce, or mode:strict',
    kind: 'policy',
    otherwise: 'warn',
  },
  {
    field: 'network',
    flags: '--network <profile>',
    text: 'one of the operator’s network profiles',
    kind: 'text',
  },
  {
    field: 'isolation',
    flags: '--isolation <kind>',
    text: 'process, container or gvisor, no weaker than the deployment’s minimum',
    kind: 'text',
    otherwise: 'the deployment’s',
  },
  {
    field: 'runtime',
    flags: '--runtime <name>',
    text: 'OCI runtime, no weaker than the deployment’s minimum',
    kind: 'text',
    otherwise: 'the deployment’s',
  },
  {
    field: 'batchId',
    flags: '-b, --batch <id>',
    text: 'the batch that the program belongs to',
    kind: 'text',
  },
  {
    field: 'labels',
    flags: '--label <name=value>',
    text: 'a label of the program and its result; repeatable',
    kind: 'variables',
  },
  {
    field: 'expiresInSeconds',
    flags: '--expires-in <seconds>',
    text: 'cancel the program if no worker has taken it by then',
    kind: 'number',
    otherwise: 'never',
  },
  { field: 'tenant', flags: '--tenant <name>', text: 'tenant of the program', kind: 'text' },
  {
    field: 'reuse',
    flags: '--reuse <when>',
    text: 'share the container with other programs of the batch',
    kind: 'text',
  },
  { field: 'replyTo', flags: '-r, --reply-to <queue>', text: 'name of the results queue', kind: 'text' },
  {
    field: 'callbackUrl',
    flags: '--callback-url <url>',
    text: 'URL to which a gateway sends the signed result',
    kind: 'text',
  },
]

/** Fields whose options only some commands have. */
const SPECIAL: readonly string[] = ['replyTo', 'callbackUrl']

/** An option that sets a field of a job. */
export interface JobFieldOption extends JobField {
  /** Its name on the command line: `--job-timeout`. */
  readonly long: string
  /** Its key among parsed options: `jobTimeout`. */
  readonly key: string
  /** Whether it may be repeated. */
  readonly isList: boolean
  /** One line with range and default. */
  readonly help: string
  /** Allowed values, if the schema lists them. */
  readonly choices: readonly string[] | undefined
}

/**
 * The options that set fields of a job.
 *
 * @param special those of `replyTo` and `callbackUrl` to include. @default both
 */
export function jobFieldOptions(special: readonly string[] = SPECIAL): JobFieldOption[] {
  const schema = schemaOfJobs()
  const wanted = JOB_FIELDS.filter(({ field }) => !SPECIAL.includes(field) || special.includes(field))
  return wanted.map((declared) => {
    const option = new Option(declared.flags)
    return {
      ...declared,
      long: option.long ?? declared.flags,
      key: option.attributeName(),
      isList: declared.kind === 'list' || declared.kind === 'variables',
      help: `${declared.text}${rangeText(schema, declared)}`,
      choices: schemaOf(schema, declared.field)?.enum?.map(String),
    }
  })
}

/** Range and default of a field for its help, for example `, 0.1 to 300 (default: 30)`. */
export function rangeText(
  schema: JsonSchema,
  { field, otherwise }: Pick<JobField, 'field' | 'otherwise'>,
): string {
  const found = schemaOf(schema, field)
  const { minimum, maximum } = found ?? {}
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  const limits: Readonly<Record<string, unknown>> = { ...DEFAULT_LIMITS }
  const defaultValue = otherwise ?? limits[field.replace('limits.', '')] ?? found?.default
  return defaultValue === undefined ? range : `${range} (default: ${String(defaultValue)})`
}

/** Cached, because `isopod submit` may have many files. */
function schemaOfJobs(): JsonSchema {
  jobSchema ??= jobJsonSchema()
  return jobSchema
}

let jobSchema: JsonSchema | undefined

function schemaOf(schema: JsonSchema, field: string): JsonSchema | undefined {
  return field.split('.').reduce<JsonSchema | undefined>(propertyOf, schema)
}

function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  const found = schema?.properties?.[name]
  return typeof found === 'object' ? found : undefined
}
