import { fields } from '@isopod/protocol'
import { z } from 'zod'

/** Longest time that a request waits, in seconds. */
const MAX_WAIT_SECONDS = 60

/** Text of a path or a query, given once; `rule` is what the refusal says of it. */
export function textParameter(rule: string, maxLength: number) {
  return z.string({ error: rule }).max(maxLength, { error: rule })
}

/** A whole number of a query; every refusal states the range. */
export function wholeParameter(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

const ID_RULE = 'must be 1 to 128 characters'
const WAIT_RULE = `must be seconds from 0 to ${MAX_WAIT_SECONDS}`

/** The path of what has an id. */
export const idPath = z.object({ id: textParameter(ID_RULE, 128).min(1, { error: ID_RULE }) })

/** How long a request waits. */
export const waitQuery = fields({
  wait: z.coerce
    .number({ error: WAIT_RULE })
    .min(0, { error: WAIT_RULE })
    .max(MAX_WAIT_SECONDS, { error: WAIT_RULE })
    .default(0)
    .describe('Seconds to wait for the result'),
})
