export {
  type CheckedProgram,
  openPolicyChecker,
  type PolicyChecker,
  type PolicyCheckerOptions,
} from './checker.ts'
export type { PolicyDecision } from './decide.ts'
export type { Fact, PolicyFinding, Rule, RuleLanguage, RuleSet, Severity } from './rule.ts'
export { RULES } from './rules/all.ts'
