import { z } from 'zod'
import { fields, listOf, textUpTo } from './schema.ts'

const editSchema = fields({
  find: textUpTo(1024),
  replace: textUpTo(8192),
  /** @default script */
  in: z.enum(['script', 'code'], { error: 'must be script or code' }).optional(),
})

/** Schema of {@link ScriptRules}. */
export const scriptSchema = fields({
  /**
   * Template of the program. Placeholders: `{code}` and `{script}`, or as JSON `{code_json}` and `{script_json}`; `{report}`,
   * the path of the file that the program must create at its end, with a secret name; and `{tag}`, letters and digits for
   * identifiers that the code cannot guess.
   */
  program: textUpTo(65_536).refine(
    (text) => /\{code(_json)?\}/.test(text) && /\{script(_json)?\}/.test(text),
    { error: 'must be text with {code} and {script}, or {code_json} and {script_json}' },
  ),
  /**
   * Changes to the script or the code, for languages where a script does not end at the end of its text. Replaces the last
   * match of `find`, a regular expression (RE2); `replace` may contain `$0` to `$9`, `{report}` and `{tag}`. Each edit of the
   * script must match. Edits `in: code`, for languages whose imports come first, may find nothing.
   */
  edits: listOf(editSchema, 8, {
    list: 'must be a list of {find, replace, in?}',
    max: 'must be at most 8',
  }).default([]),
  /** Texts on stderr that identify a failed assertion. @default every exit code except 0 does */
  assertion: z.array(textUpTo(256), { error: 'must be a list of texts' }).optional(),
})

/** How the code and the script of a test case become one program, which reports that it reached its end. */
export type ScriptRules = z.output<typeof scriptSchema>

/** The error sentence for a script in a language without scripts; it lists the languages that have them. */
export function scriptsUnsupported(
  languages: readonly { readonly name: string; readonly script?: unknown }[],
  asked: string,
): string {
  const able = languages.filter(({ script }) => script !== undefined).map(({ name }) => name)
  return `tests: ${asked} has no way to run a script yet; the languages that have one are ${able.join(', ') || 'none'}`
}
