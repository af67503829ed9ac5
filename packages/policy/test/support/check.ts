import { checkSource } from '../../src/check-source.ts'
import { openGrammars } from '../../src/grammars.ts'
import { GRAMMARS } from '../../src/match.ts'
import type { RuleSet } from '../../src/rule.ts'
import { sourceKind } from '../../src/sources.ts'

const { need, parse } = await openGrammars()
await need(GRAMMARS)

/** A file of the job whose name does not look like source. */
const OTHERS = new Set(['data.txt'])

/** Checks one source in this thread, by the extension of its file. */
export function check(extension: string, source: string, rules: RuleSet = 'strict') {
  const path = `main.${extension}`
  const kind = sourceKind(path)
  if (kind === undefined) throw new Error(`${path} has no rules`)
  return checkSource(parse, { path, source, kind }, rules, OTHERS)
}

/** Ids of the rules that a source trips. */
export function tripped(extension: string, source: string, rules: RuleSet = 'strict'): string[] {
  return check(extension, source, rules).findings.map(({ rule }) => rule)
}
