import type { ParseSource } from './grammars.ts'
import { messageOf, type PolicyFinding, type RuleSet, severityIn } from './rule.ts'
import { factsIn, rulesFor } from './rules/all.ts'
import type { SourceKind } from './sources.ts'

/** The result of checking one source. */
export interface SourceReport {
  readonly findings: readonly PolicyFinding[]
  /** Why parts of the source were not checked, as ends of sentences about the file. */
  readonly gaps: readonly string[]
}

/**
 * Checks one source. Reports each violated rule once, at the first place.
 *
 * @param others base names of the job's files that are not checked as source
 */
export function checkSource(
  parse: ParseSource,
  { path, source, kind }: { readonly path: string; readonly source: string; readonly kind: SourceKind },
  rules: RuleSet,
  others: ReadonlySet<string> = new Set(),
): SourceReport {
  // The parsers stop at NUL, which interpreters skip or refuse. Python also ends lines at a lone carriage return.
  const lines = kind.language === 'python' ? source.replaceAll(/\r\n?/g, '\n') : source
  const text = lines.replaceAll('\0', ' ')
  const { matches, broken, tooDeep } = parse(kind.grammar, text)
  const facts = factsIn[kind.language]({ matches, source: text, others })
  const findings = new Map<string, PolicyFinding>()
  const lineOf = lineCounter(text)
  for (const fact of facts.toSorted((one, other) => one.offset - other.offset)) {
    for (const rule of rulesFor(kind.language, fact)) {
      const severity = severityIn(rule, rules)
      if (severity === undefined || findings.has(rule.id)) continue
      const line = lineOf(fact.offset)
      findings.set(rule.id, { rule: rule.id, severity, message: messageOf(rule, severity), path, line })
    }
  }
  const gaps = [
    ...(broken ? ['could not be parsed as a whole; what could be was checked'] : []),
    ...(tooDeep ? ['nests too deeply to be checked as a whole; the rest was checked'] : []),
  ]
  return { findings: [...findings.values()], gaps }
}

/** Makes a function from offsets, in ascending order, to line numbers. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let counted = 0
  return (offset) => {
    for (let at = text.indexOf('\n', counted); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
      line++
      counted = at + 1
    }
    return line
  }
}
