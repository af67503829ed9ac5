import { z } from 'zod'
import { sizeText, utf8Bytes } from './schema.ts'

/** Largest program text, in bytes of UTF-8. */
export const MAX_CODE_BYTES = 1024 * 1024

/** The text of a program: at least one byte, at most {@link MAX_CODE_BYTES}. */
export function programText(whenEmpty = 'must not be empty') {
  return z
    .string({ error: 'must be text' })
    .min(1, { error: whenEmpty })
    .refine((text) => text.length <= MAX_CODE_BYTES && utf8Bytes(text) <= MAX_CODE_BYTES, {
      error: `must be at most ${sizeText(MAX_CODE_BYTES)}`,
    })
}

/** Name or alias in the catalogue, optionally `name@version`. */
export const languageName = z
  .string({ error: 'must be the name of a language' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9+#._-]{0,31}(@[A-Za-z0-9._-]{1,32})?$/, {
    error: 'must be a name or alias of the catalogue, optionally name@version',
  })
