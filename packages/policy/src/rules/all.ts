import type { Fact, Rule, RuleLanguage } from '../rule.ts'
import { BASH_RULES } from './bash.ts'
import { JAVASCRIPT_RULES } from './javascript.ts'
import { PYTHON_RULES } from './python.ts'

/** Every rule there is. */
export const RULES: readonly Rule[] = [...PYTHON_RULES, ...JAVASCRIPT_RULES, ...BASH_RULES]

const byFact = new Map<string, Rule[]>()
for (const rule of RULES) {
  for (const fact of rule.facts) {
    const key = keyOf(rule.language, fact)
    byFact.set(key, [...(byFact.get(key) ?? []), rule])
  }
}

/** The rules that a fact trips. */
export function rulesFor(language: RuleLanguage, fact: Fact): readonly Rule[] {
  return byFact.get(keyOf(language, fact)) ?? []
}

function keyOf(language: RuleLanguage, { kind, name }: Fact): string {
  return `${language} ${kind} ${name}`
}
