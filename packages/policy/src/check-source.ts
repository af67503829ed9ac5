import type { ParseSource } from './grammars.ts'
import { messageOf, type PolicyFinding, type RuleSet, severityIn } from './rule.ts'
import { factsIn, rulesFor } from './rules/all.ts'
import type { SourceKind } from './sources.ts'

/** What a check of one source found. */
export interface SourceReport {
  readonly findings: readonly PolicyFinding[]
  /** What could not be checked, without the path; the rest was. */
  readonly gaps: readonly string[]
}

/**
 * Checks one source; each rule is reported once, at the first place that trips it.
 *
 * @param others base names of the job's files that are not checked as source
 */
export function checkSource(
  parse: ParseSource,
  { path, source, kind }: { readonly path: string; readonly source: string; readonly kind: SourceKind },
  rules: RuleSet,
  others: ReadonlySet<string> = new Set(),
): SourceReport {
  // Interpreters skip NUL or refuse it, the parsers stop there. Python ends a line at a lone carriage return.
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

/** Counts lines, for offsets that only grow. */
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
