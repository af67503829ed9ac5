import { z } from 'zod'
import { textUpTo } from './schema.ts'

/** Environment variables that a catalogue sets: names and texts. */
export const variablesSchema = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { error: 'must have names of letters, digits and "_"' }),
  textUpTo(4096),
  { error: 'must be an object of texts' },
)
