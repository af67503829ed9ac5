import type { Policy } from '@isopod/protocol'

/** Effect of a rule on a job: `block` refuses it in mode `enforce`; `warn` always only warns. */
export type Severity = 'block' | 'warn'

/** A set of rules; `strict` contains all rules of `standard`. */
export type RuleSet = Policy['rules']

/** Languages with rules. TypeScript uses those of JavaScript. */
export type RuleLanguage = 'python' | 'javascript' | 'bash'

/**
 * A fact about a source that rules can refer to:
 * - `import`: an imported module; each of its parents is a separate fact (`os`, `os.path`)
 * - `use`: a global, or a member of a module, with aliases resolved (`builtins.eval`, `os.system`)
 * - `attribute`: a name after a dot, on any object (`__class__`)
 * - `command`: a shell command, without its folder (`curl`)
 * - `shape`: a construct that a query names, followed by the value that it is applied to (`fork-bomb`, `write-mode
 *   builtins.open`)
 */
export interface Fact {
  readonly kind: 'import' | 'use' | 'attribute' | 'command' | 'shape'
  readonly name: string
}

/** A fact and its position in the source. */
export interface FactAt extends Fact {
  /** Offset in the source, in UTF-16 code units. */
  readonly offset: number
}

/** One rule. */
export interface Rule {
  /** Stable id, also in metrics: `python/import-os`. */
  readonly id: string
  readonly language: RuleLanguage
  /** Effect in the rule set `standard`; undefined if it does not belong to it. */
  readonly standard: Severity | undefined
  /** Effect in the rule set `strict`. */
  readonly strict: Severity
  /** Its subject in messages: `import: os`. */
  readonly subject: string
  /** Why the rule exists, one short phrase. */
  readonly reason: string
  /** The facts that violate it; one is enough. */
  readonly facts: readonly Fact[]
}

/** A rule that a source violates. */
export interface PolicyFinding {
  /** Id of the rule: `python/import-os`. */
  readonly rule: string
  readonly severity: Severity
  /** One sentence: `Blocked import: os`. */
  readonly message: string
  /** Path of the program or of one of the job's files. */
  readonly path: string
  /** Line number, from 1. */
  readonly line: number
}

/** Effect of a rule in a set; undefined if it does not belong to it. */
export function severityIn(rule: Rule, rules: RuleSet): Severity | undefined {
  return rules === 'strict' ? rule.strict : rule.standard
}

/** The sentence for a violated rule: `Blocked import: os`, `Risky import: socket`. */
export function messageOf(rule: Rule, severity: Severity): string {
  return `${severity === 'block' ? 'Blocked' : 'Risky'} ${rule.subject}`
}

/** Common fields of a group of rules. */
export interface RuleGroup {
  readonly standard?: Severity
  /** @default 'block' */
  readonly strict?: Severity
  readonly reason: string
}

/** Makes the functions that create the rules of one language. */
export function rulesOf(language: RuleLanguage) {
  const rule = (name: string, subject: string, group: RuleGroup, ...facts: (readonly Fact[])[]): Rule => {
    const { standard, strict = 'block', reason } = group
    return { id: `${language}/${name}`, language, standard, strict, subject, reason, facts: facts.flat() }
  }
  const each = (kind: Fact['kind'], word: string, prefix = '') => {
    return (group: RuleGroup, ...names: string[]): Rule[] =>
      names.map((name) => {
        const id = `${word}-${name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`
        return rule(id, `${word}: ${name}`, group, [{ kind, name: prefix + name }])
      })
  }
  return {
    /** One rule for several facts. */
    rule,
    /** One rule per module. */
    imports: each('import', 'import'),
    /** One rule per global function. */
    functions: each('use', 'function', language === 'python' ? 'builtins.' : ''),
    /** One rule per attribute. */
    attributes: each('attribute', 'attribute'),
    /** One rule per command. */
    commands: each('command', 'command'),
  }
}

/** Facts of one kind. */
export function facts(kind: Fact['kind'], ...names: string[]): Fact[] {
  return names.map((name) => ({ kind, name }))
}
