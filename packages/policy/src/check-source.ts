import { sightBash } from './bash/sight.ts'
import type { PolicyFinding, Sighting } from './finding.ts'
import { sightJavaScript } from './javascript/sight.ts'
import { prepared, strangeEncoding } from './prepare.ts'
import { sightPython } from './python/sight.ts'
import { messageOf, type RuleSet, severityIn } from './rule.ts'
import { rulesFor } from './rules/all.ts'
import type { SourceKind } from './sources.ts'
import type { ParseSource } from './tree/parse-source.ts'
import type { SyntaxTree } from './tree/syntax-node.ts'

/** Scripts within scripts (`bash -c "bash -c '…'"`) that are looked into. */
const DEEPEST_SCRIPT = 3
/** Different scripts of one source that are looked into. */
const MOST_SCRIPTS = 256

/** What a check of one source found. */
export interface SourceReport {
  readonly findings: readonly PolicyFinding[]
  /** What could not be checked, without the path; the rest was. */
  readonly gaps: readonly string[]
}

/**
 * Checks one source; each message comes once, at the first place that says it.
 *
 * @param others base names of the job's files that are not checked as source
 */
export function checkSource(
  parse: ParseSource,
  file: { readonly path: string; readonly source: string; readonly kind: SourceKind },
  rules: RuleSet,
  others: ReadonlySet<string> = new Set(),
): SourceReport {
  const { path, source, kind } = file
  const findings = new Map<string, PolicyFinding>()
  const gaps = new Set<string>()

  const encoding = kind.language === 'python' ? strangeEncoding(source) : undefined
  if (encoding !== undefined) judge([{ kind: 'shape', name: 'source-encoding', offset: 0 }], source)
  for (const text of prepared(source, kind)) judge(sight(text), text)
  return { findings: [...findings.values()], gaps: [...gaps] }

  function sight(text: string): readonly Sighting[] {
    const tree = treeOf(text)
    switch (kind.language) {
      case 'python':
        return sightPython(tree.nodes)
      case 'javascript':
        // A comment in scripts, two operators in modules.
        if (tree.nodes.some(({ type }) => type === 'html_comment'))
          gaps.add('has an HTML-like comment, which was not checked')
        return sightJavaScript(tree.nodes, others)
      case 'bash':
        return sightScripts(tree)
      default:
        return kind.language satisfies never
    }
  }

  function treeOf(text: string): SyntaxTree {
    const tree = parse(kind.grammar, text)
    if (tree.broken) gaps.add('could not be parsed as a whole; what could be was checked')
    return tree
  }

  function sightScripts(tree: SyntaxTree): readonly Sighting[] {
    const found: Sighting[] = []
    const seen = new Set<string>()
    let trees = [tree]
    for (let depth = 0; trees.length > 0; depth++) {
      const reports = trees.map(({ nodes }) => sightBash(nodes, others))
      // Within an argument there are no lines of the source.
      for (const { sightings } of reports) found.push(...(depth === 0 ? sightings : sightings.map(atStart)))
      trees = []
      for (const script of reports.flatMap((report) => report.scripts)) {
        if (seen.has(script)) continue
        if (depth === DEEPEST_SCRIPT || seen.size === MOST_SCRIPTS) {
          gaps.add('has scripts within scripts that were not checked')
          break
        }
        seen.add(script)
        trees.push(treeOf(script))
      }
    }
    return found
  }

  function judge(sightings: readonly Sighting[], text: string): void {
    const lineOf = lineCounter(text)
    for (const sighting of sightings.toSorted((a, b) => a.offset - b.offset)) {
      for (const rule of rulesFor(kind.language, sighting)) {
        const severity = severityIn(rule, rules)
        if (severity === undefined || findings.has(rule.id)) continue
        const line = lineOf(sighting.offset)
        findings.set(rule.id, { rule: rule.id, severity, message: messageOf(rule, severity), path, line })
      }
    }
  }
}

function atStart(sighting: Sighting): Sighting {
  return { ...sighting, offset: 0 }
}

/** Counts lines; made for offsets that only grow. */
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
