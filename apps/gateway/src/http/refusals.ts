import { problemSchema } from './problem.ts'

/** Refusals of any route of the API. */
export const BARE_REFUSALS = {
  401: problemSchema,
  403: problemSchema,
  429: problemSchema,
  503: problemSchema,
}

/** Refusals of a route with parameters. */
export const REFUSALS = { 400: problemSchema, ...BARE_REFUSALS }

/** Refusals of a route with a body. */
export const BODY_REFUSALS = { ...REFUSALS, 408: problemSchema, 413: problemSchema, 415: problemSchema }

/** Refusals of a route with the id of an execution or batch. */
export const ID_REFUSALS = { ...REFUSALS, 404: problemSchema }
