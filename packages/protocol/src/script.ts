import { z } from 'zod'
import { fields, listOf, textUpTo } from './schema.ts'
import { variablesSchema } from './variables.ts'

const editSchema = fields({
  find: textUpTo(1024),
  replace: textUpTo(8192),
  /** @default script */
  in: z.enum(['script', 'code'], { error: 'must be script or code' }).optional(),
})

/** One of the two programs of a split test: those of the code and of the judge. */
const splitProgramSchema = fields({
  /** Source text that an interpreter which starts ahead loads before it waits; `main` loads it otherwise. */
  library: textUpTo(524_288),
  /** Template of the main file, with `{library_json}` and the placeholders of its role. */
  main: textUpTo(65_536).refine((text) => text.includes('{library_json}'), {
    error: 'must be text with {library_json}',
  }),
  /**
   * Template of the main file for an interpreter that has loaded the library, if the program has no other files: a JSON list of
   * a function of the library and its arguments. @default `main` with an empty library
   */
  call: textUpTo(1024).optional(),
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
  /**
   * How the code and the script run in processes of their own, joined by their stdin and stdout. The code's main file has the
   * placeholders `{code_json}` and `{stdin_json}`, the judge's `{script_json}`,
   * `{stdin_json}` and `{report_json}`, the path of its report, which {@link splitReportSchema} describes. A language without it runs both in one
   * process.
   */
  split: fields({
    code: splitProgramSchema,
    judge: splitProgramSchema,
    /** Environment variables of both processes. */
    env: variablesSchema.default({}),
    /** The first message to the code, which makes it run. The judge receives the answer without having asked. */
    first_question: textUpTo(1024),
  }).optional(),
})

/** The two programs of a split test. */
export type SplitRules = NonNullable<ScriptRules['split']>

/**
 * Where the code and the script of a test case run: in processes and containers of their own; first so and then in one process, and
 * the verdict counts only if both runs agree; in one process.
 */
export const SEPARATIONS = ['process', 'both', 'none'] as const
export type Separation = (typeof SEPARATIONS)[number]

/** How the code and the script of a test case become programs that report the end of the script. */
export type ScriptRules = z.output<typeof scriptSchema>

/** The error sentence for a script in a language without scripts; it lists the languages that have them. */
export function scriptsUnsupported(
  languages: readonly { readonly name: string; readonly script?: unknown }[],
  asked: string,
): string {
  const able = languages.filter(({ script }) => script !== undefined).map(({ name }) => name)
  return `tests: ${asked} has no way to run a script yet; the languages that have one are ${able.join(', ') || 'none'}`
}

/** Schema of a {@link SplitReport}. */
export const splitReportSchema = z.object({
  /**
   * How the script ended: it reached its end; an assertion failed; it raised anything else; only the code could decide; the
   * code's process ended or answered nothing that is a value; it is no program.
   */
  end: z.enum(['passed', 'assertion', 'error', 'unverified', 'lost', 'broken']),
  /** What it raised, or why it could not be decided. */
  message: z.string(),
  /** The beginning of what the code and the script printed. */
  stdout: z.string(),
  /** Number of bytes that they printed. */
  printed: z.number(),
  /** Whether the code was asked for calls that the script did not come to. @default false */
  askedAhead: z.boolean().optional(),
  /** Whether the assertion failed in a function that the code has called, which gets no error. @default false */
  inCallback: z.boolean().optional(),
})

/** The report of a judge, which no code under test can write. */
export type SplitReport = z.infer<typeof splitReportSchema>
