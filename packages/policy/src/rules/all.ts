import type { Grammar, MatchedSource } from '../match.ts'
import type { Fact, FactAt, Rule, RuleLanguage } from '../rule.ts'
import { BASH_QUERY, BASH_RULES, bashFacts } from './bash.ts'
import { JAVASCRIPT_QUERY, JAVASCRIPT_RULES, javascriptFacts, TYPESCRIPT_QUERY } from './javascript.ts'
import { PYTHON_QUERY, PYTHON_RULES, pythonFacts } from './python.ts'

/** All rules. */
export const RULES: readonly Rule[] = [...PYTHON_RULES, ...JAVASCRIPT_RULES, ...BASH_RULES]

/** The query of each grammar. */
export const QUERIES: Readonly<Record<Grammar, string>> = {
  python: PYTHON_QUERY,
  javascript: JAVASCRIPT_QUERY,
  typescript: TYPESCRIPT_QUERY,
  bash: BASH_QUERY,
}

/** Collects the facts of a source. */
export const factsIn: Readonly<Record<RuleLanguage, (source: MatchedSource) => readonly FactAt[]>> = {
  python: pythonFacts,
  javascript: javascriptFacts,
  bash: bashFacts,
}

const byFact = new Map<string, Rule[]>()
for (const rule of RULES) {
  for (const fact of rule.facts) {
    const key = keyOf(rule.language, fact)
    byFact.set(key, [...(byFact.get(key) ?? []), rule])
  }
}

/** The rules that a fact violates. */
export function rulesFor(language: RuleLanguage, fact: Fact): readonly Rule[] {
  return byFact.get(keyOf(language, fact)) ?? []
}

function keyOf(language: RuleLanguage, { kind, name }: Fact): string {
  return `${language} ${kind} ${name}`
}
