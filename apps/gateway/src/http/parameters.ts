import { fields } from '@isopod/protocol'
import { z } from 'zod'

/** Maximum of `wait`, in seconds. */
const MAX_WAIT_SECONDS = 60

/** A text parameter of a path or query. @param rule the error message */
export function textParameter(rule: string, maxLength: number) {
  return z.string({ error: rule }).max(maxLength, { error: rule })
}

/** An integer parameter of a query; the error message states the range. */
export function wholeParameter(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

const ID_RULE = 'must be 1 to 128 characters'
const WAIT_RULE = `must be seconds from 0 to ${MAX_WAIT_SECONDS}`

/** Path parameters of a route with an id. */
export const idPath = z.object({ id: textParameter(ID_RULE, 128).min(1, { error: ID_RULE }) })

/** Query parameters of a route that can wait for a result. */
export const waitQuery = fields({
  wait: z.coerce
    .number({ error: WAIT_RULE })
    .min(0, { error: WAIT_RULE })
    .max(MAX_WAIT_SECONDS, { error: WAIT_RULE })
    .default(0)
    .describe('Seconds to wait for the result'),
})
