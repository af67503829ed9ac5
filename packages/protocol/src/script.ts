import { z } from 'zod'
import { fields, listOf, textUpTo } from './schema.ts'

const editSchema = fields({
  find: textUpTo(1024),
  replace: textUpTo(8192),
  /** @default script */
  in: z.enum(['script', 'code'], { error: 'must be script or code' }).optional(),
})

/** How code and the script of a test become one program that says when it has come to its end. */
export const scriptSchema = fields({
  /**
   * The text of the program. Filled in: `{code}` and `{script}`, the same as JSON in `{code_json}` and `{script_json}`;
   * `{report}`, the path of the file that it must make at its end, in whose name is what nobody can know before; and
   * `{tag}`, letters and digits for names that no code can have.
   */
  program: textUpTo(65_536).refine(
    (text) => /\{code(_json)?\}/.test(text) && /\{script(_json)?\}/.test(text),
    { error: 'must be text with {code} and {script}, or {code_json} and {script_json}' },
  ),
  /**
   * Changes to the script beforehand, for languages where its end is not the end of the text: what `find`, a regular
   * expression (RE2), matches last is replaced, with `$0` to `$9`, `{report}` and `{tag}` filled in. All must match, but for
   * those `in: code`, for languages whose imports stand before all else: what does not match there, the compiler judges.
   */
  edits: listOf(editSchema, 8, {
    list: 'must be a list of {find, replace, in?}',
    most: 'must be at most 8',
  }).default([]),
  /** What stderr has in it where an assertion did not hold. @default every exit code but 0 says that */
  assertion: z.array(textUpTo(256), { error: 'must be a list of texts' }).optional(),
})

/** How code and the script of a test become one program. */
export type ScriptRules = z.output<typeof scriptSchema>

/** The sentence for a test with a script in a language that has none; it lists those that do. */
export function scriptsUnsupported(
  languages: readonly { readonly name: string; readonly script?: unknown }[],
  asked: string,
): string {
  const able = languages.filter(({ script }) => script !== undefined).map(({ name }) => name)
  return `tests: ${asked} has no way to run a script yet; the languages that have one are ${able.join(', ') || 'none'}`
}
