import { z } from 'zod'
import { parseFields, refusedFields } from '../field-errors.ts'
import { DATASET_TYPES, type DatasetType, REGISTERED_DATASETS } from './dataset-types.ts'
import { SANDBOXFUSION_NAMES } from './languages.ts'
import { secondsField, textField } from './run-code-job.ts'

const config = z.object({
  dataset_type: z.string({ error: 'Input should be a valid string' }).nullish(),
  language: z
    .enum(SANDBOXFUSION_NAMES, { error: `Input should be one of ${SANDBOXFUSION_NAMES.join(', ')}` })
    .nullish(),
  run_timeout: secondsField().nullish(),
  /** No effect: the language sets the limits of its compile run. */
  compile_timeout: secondsField().nullish(),
  custom_extract_logic: z
    .null({ error: 'is not supported: it is a program that would run on the service itself' })
    .optional(),
  /** The row, or a list of rows, one of which has the request's `id`. */
  provided_data: z
    .union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))], {
      error: ({ input }) =>
        input === undefined || input === null
          ? 'Field required: no data set is kept here, send the row with its tests'
          : 'Input should be a valid dictionary',
    })
    .transform((given) => (Array.isArray(given) ? given : [given])),
  extra: z
    .object({
      is_freeform: z.boolean().optional(),
      code_block_idx: z.number().int().nullish(),
      autoeval_extract_code_mode: z.enum(['first', 'all']).nullish(),
      repr_code: z.boolean().optional(),
      run_all_cases: z.boolean().optional(),
    })
    .default({}),
})

/** The body of `POST /submit`; unknown fields are ignored. */
export const submitSchema = z.object({
  dataset: textField(),
  id: z.union([z.string(), z.number()], { error: 'Input should be a valid string or number' }),
  completion: textField(),
  config,
})

/** A request whose fields have the right types. */
export type SubmitRequest = z.output<typeof submitSchema>

/** A row of a data set, with its tests. */
export type DatasetRow = Readonly<Record<string, unknown>>

/** Path of the row in the request. */
const ROW = 'config.provided_data'

/**
 * The kind of data set that a request names. As in SandboxFusion, `dataset_type` counts only if `dataset` is not a known
 * name.
 *
 * @throws {RequestRefused} 422 listing the supported ones
 */
export function datasetTypeOf({ dataset, config }: SubmitRequest): DatasetType {
  const registered = Object.hasOwn(REGISTERED_DATASETS, dataset) ? REGISTERED_DATASETS[dataset] : undefined
  const given = registered ?? config.dataset_type
  const known = DATASET_TYPES.find((type) => type === given)
  if (known !== undefined) return known
  const field = config.dataset_type ? 'config.dataset_type' : 'dataset'
  const named = Object.keys(REGISTERED_DATASETS).join(', ')
  const message = `${JSON.stringify((given ?? dataset).slice(0, 64))} is not supported: config.dataset_type is one of ${DATASET_TYPES.join(', ')}, or dataset one of ${named}`
  throw refusedFields([{ field, message }])
}

/** @throws {RequestRefused} 422 if no row has the id */
export function rowOf({ id, config: { provided_data: rows } }: SubmitRequest): DatasetRow {
  const [first] = rows
  const found =
    rows.length === 1 ? first : rows.find((row) => isId(row['id']) && String(row['id']) === String(id))
  if (found !== undefined) return found
  throw refusedRow('', `has no row with the id ${JSON.stringify(String(id).slice(0, 64))}`)
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Parses a row, whose nested values may be JSON texts, as in SandboxFusion's tables. */
export function parseRow<Schema extends z.ZodType>(schema: Schema, row: DatasetRow): z.output<Schema> {
  const { [ROW]: parsed } = parseFields(z.object({ [ROW]: schema }), { [ROW]: row }) as Record<
    string,
    z.output<Schema>
  >
  return parsed as z.output<Schema>
}

/** A schema for a value that may be written as JSON text. */
export function orJson<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((given) => {
    if (typeof given !== 'string') return given
    try {
      return JSON.parse(given)
    } catch {
      return given
    }
  }, schema)
}

/** Makes the refusal of a field of a row. */
export function refusedRow(field: string, message: string) {
  return refusedFields([{ field: field === '' ? ROW : `${ROW}.${field}`, message }])
}
