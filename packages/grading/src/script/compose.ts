import type { ScriptRules } from '@isopod/protocol'
import { RE2JS } from 're2js'

/** The parts of a composed program. */
export interface ScriptParts {
  readonly code: string
  readonly script: string
  /** Secret absolute path of the file that the program creates when the script reaches its end. */
  readonly report: string
  /** Secret letters and digits. */
  readonly tag: string
}

/** A composed program, or why it could not be composed. */
export type Composed =
  | { readonly program: string; readonly problem?: undefined }
  | { readonly program?: undefined; readonly problem: string }

/**
 * Appends a script to code, as one program that writes its report when the script reaches its end.
 *
 * @example
 * ```ts
 * composeScript({ program: '{code}\n{script}\nopen("{report}", "x")', edits: [] }, parts)
 * ```
 */
export function composeScript(rules: Pick<ScriptRules, 'program' | 'edits'>, parts: ScriptParts): Composed {
  const texts = { code: parts.code, script: parts.script }
  for (const { find, replace, in: part = 'script' } of rules.edits) {
    const inserted = fillPlaceholders(replace, { report: parts.report, tag: parts.tag })
    const edited = replaceLast(texts[part], find, inserted)
    if (edited === undefined && part === 'script')
      return { problem: `must contain a match of ${find}, where the report of its end is inserted` }
    texts[part] = edited ?? texts[part]
  }
  const [code_json, script_json] = [json(texts.code), json(texts.script)]
  return { program: fillPlaceholders(rules.program, { ...parts, ...texts, code_json, script_json }) }
}

/** A string literal that most languages accept. Lone surrogates are replaced, because UTF-8 cannot encode them. */
function json(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

/** Replaces all placeholders in one pass, so that inserted text is not expanded again. */
function fillPlaceholders(template: string, texts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(texts, name) ? (texts[name] ?? whole) : whole,
  )
}

/** Replaces the last match, with `$0` to `$9` expanded; undefined if there is no match. */
function replaceLast(text: string, find: string, replacement: string): string | undefined {
  const matcher = RE2JS.compile(find, RE2JS.MULTILINE).matcher(text)
  let last: { start: number; end: number; groups: string[] } | undefined
  while (matcher.find()) {
    const count = matcher.groupCount() + 1
    const groups = Array.from({ length: count }, (_, index) => matcher.group(index) ?? '')
    last = { start: matcher.start(), end: matcher.end(), groups }
  }
  if (last === undefined) return undefined
  const { start, end, groups } = last
  const put = replacement.replaceAll(/\$([0-9])/g, (_, index: string) => groups[Number(index)] ?? '')
  return `${text.slice(0, start)}${put}${text.slice(end)}`
}
