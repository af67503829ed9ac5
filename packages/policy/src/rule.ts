import type { Policy } from '@isopod/protocol'

/** What a rule does to a job: `block` refuses it in mode `enforce`, `warn` only ever warns. */
export type Severity = 'block' | 'warn'

/** A set of rules; `strict` holds everything that `standard` holds. */
export type RuleSet = Policy['rules']

/** Languages that have rules. TypeScript has those of JavaScript. */
export type RuleLanguage = 'python' | 'javascript' | 'bash'

/**
 * What the syntax tree of a program says, as far as rules ask for it:
 * - `import`: a module is imported, by whatever means; each of its parents is a fact of its own (`os`, `os.path`)
 * - `use`: a global or a member of a module is read, called or passed on, under whatever name (`builtins.eval`, `os.system`)
 * - `attribute`: a name behind a dot, or its text in brackets or `getattr`, whatever it is read from (`__class__`)
 * - `command`: a command of a shell, without its folder (`curl`)
 * - `shape`: something larger that has a name of its own here (`fork-bomb`, `open-for-writing`)
 */
export interface Fact {
  readonly kind: 'import' | 'use' | 'attribute' | 'command' | 'shape'
  readonly name: string
}

/** One thing that programs should not do, as data: the code that finds it knows facts, not rules. */
export interface Rule {
  /** Stable, as in metrics: `python/import-os`. */
  readonly id: string
  readonly language: RuleLanguage
  /** What it does in rule set `standard`; undefined if it is no part of it. */
  readonly standard: Severity | undefined
  /** What it does in rule set `strict`. */
  readonly strict: Severity
  /** What it is about, as messages name it: `import: os`. */
  readonly subject: string
  /** Why the rule is there, one short phrase. */
  readonly reason: string
  /** The facts that trip it; one is enough. */
  readonly facts: readonly Fact[]
}

/** What a rule does in a set; undefined if it has no say there. */
export function severityIn(rule: Rule, rules: RuleSet): Severity | undefined {
  return rules === 'strict' ? rule.strict : rule.standard
}

/** The sentence for a tripped rule: `Blocked import: os`, `Risky import: socket`. */
export function messageOf(rule: Rule, severity: Severity): string {
  return `${severity === 'block' ? 'Blocked' : 'Risky'} ${rule.subject}`
}
