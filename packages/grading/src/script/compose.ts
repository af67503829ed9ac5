import type { ScriptRules } from '@isopod/protocol'
import { RE2JS } from 're2js'

/** What one program is made of. */
export interface ScriptParts {
  readonly code: string
  readonly script: string
  /** Absolute path of the file whose being there says that the script came to its end; told to nobody else. */
  readonly report: string
  /** Letters and digits, told to nobody else. */
  readonly tag: string
}

/** A program, or why there is none. */
export type Composed =
  | { readonly program: string; readonly problem?: undefined }
  | { readonly program?: undefined; readonly problem: string }

/**
 * Puts a script behind code, as one program that makes its report once the script is through.
 *
 * @example
 * ```ts
 * composeScript({ program: '{code}\n{script}\nopen("{report}", "x")', edits: [] }, parts)
 * ```
 */
export function composeScript(rules: Pick<ScriptRules, 'program' | 'edits'>, parts: ScriptParts): Composed {
  const texts = { code: parts.code, script: parts.script }
  for (const { find, replace, in: part = 'script' } of rules.edits) {
    const edited = replaceLast(texts[part], find, filled(replace, { report: parts.report, tag: parts.tag }))
    if (edited === undefined && part === 'script')
      return { problem: `must have what matches ${find}, so that its end can be told` }
    texts[part] = edited ?? texts[part]
  }
  const [code_json, script_json] = [json(texts.code), json(texts.script)]
  return { program: filled(rules.program, { ...parts, ...texts, code_json, script_json }) }
}

/** As a literal that means the same in most languages; half a surrogate pair has no UTF-8. */
function json(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

/** In one pass: what is filled in is not looked at again. */
function filled(template: string, texts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(texts, name) ? (texts[name] ?? whole) : whole,
  )
}

/** The text with its last match replaced, `$0` to `$9` filled in; undefined if there is none. */
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
