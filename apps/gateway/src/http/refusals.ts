import { problemSchema } from './problem.ts'

/** What any route of the API may answer instead. */
export const BARE_REFUSALS = {
  401: problemSchema,
  403: problemSchema,
  429: problemSchema,
  503: problemSchema,
}

/** And one that takes anything. */
export const REFUSALS = { 400: problemSchema, ...BARE_REFUSALS }

/** And one that takes a body. */
export const BODY_REFUSALS = { ...REFUSALS, 408: problemSchema, 413: problemSchema, 415: problemSchema }

/** And one that names an execution or a batch. */
export const ID_REFUSALS = { ...REFUSALS, 404: problemSchema }
