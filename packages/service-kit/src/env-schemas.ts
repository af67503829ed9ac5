import { ConfigError, parsePolicy } from '@isopod/protocol'
import { LOG_LEVELS } from '@isopod/telemetry'
import { z } from 'zod'

/**
 * A number, as the text of an environment variable.
 *
 * @param whole refuse fractions. @default true
 */
export function numberVariable(min: number, max: number, whole = true) {
  const error = `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`
  const number = z.number({ error }).min(min, { error }).max(max, { error })
  return z
    .string()
    .trim()
    .min(1, { error })
    .transform(Number)
    .pipe(whole ? number.int({ error }) : number)
}

/** `true` or `false`. */
export const flagVariable = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')

/** One of these words. */
export function wordVariable<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` })
}

/** One of the levels of the logger. */
export const logLevelVariable = wordVariable(LOG_LEVELS)

/** `mode` or `mode:rules`, as on the command line. */
export const policyVariable = z.string().transform((text, context) => {
  try {
    return parsePolicy(text)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // `readEnvironment` adds the variable and its value.
    context.addIssue({ code: 'custom', message: error.message.replace(/, got .*/s, '') })
    return z.NEVER
  }
})

/** Variables that name the queue. All processes of a deployment get the same values. */
export const QUEUE_VARIABLES = {
  REDIS_URL: z
    .string()
    .default('redis://127.0.0.1:6379')
    .describe('Redis of the queue; also `rediss://` and `redis+unix:///path`'),
  ISOPOD_QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be 1 to 64 plain characters' })
    .default('isopod')
    .describe('prefix of all Redis keys; separates deployments that share a Redis'),
  ISOPOD_ALLOW_EVICTION: flagVariable
    .default(false)
    .describe('accept a Redis that may evict keys, and with them jobs; never in production'),
  ISOPOD_RESULT_TTL_SECONDS: numberVariable(60, 2_592_000)
    .default(86_400)
    .describe('how long Redis keeps a result'),
} as const
