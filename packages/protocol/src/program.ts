import { z } from 'zod'
import { sizeText, utf8Bytes } from './schema.ts'

/** Maximum size of a program, in bytes of UTF-8. */
export const MAX_CODE_BYTES = 1024 * 1024

/** The source of a program: at least one byte, at most {@link MAX_CODE_BYTES}. */
export function programText(whenEmpty = 'must not be empty') {
  const tooLarge = `must be at most ${sizeText(MAX_CODE_BYTES)}`
  return z
    .string({ error: 'must be text' })
    .min(1, { error: whenEmpty })
    .max(MAX_CODE_BYTES, { error: tooLarge, abort: true })
    .refine((text) => utf8Bytes(text) <= MAX_CODE_BYTES, { error: tooLarge })
}

/** Name or alias in the catalogue, optionally `name@version`. */
export const languageName = z
  .string({ error: 'must be the name of a language' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9+#._-]{0,31}(@[A-Za-z0-9._-]{1,32})?$/, {
    error: 'must be a name or alias of the catalogue, optionally name@version',
  })
