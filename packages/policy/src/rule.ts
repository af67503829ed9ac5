import type { Policy } from '@isopod/protocol'

/** What a rule does to a job: `block` refuses it in mode `enforce`, `warn` only ever warns. */
export type Severity = 'block' | 'warn'

/** A set of rules; `strict` holds everything that `standard` holds. */
export type RuleSet = Policy['rules']

/** Languages that have rules. TypeScript has those of JavaScript. */
export type RuleLanguage = 'python' | 'javascript' | 'bash'

/**
 * What a source says, as far as rules ask for it:
 * - `import`: a module is imported; each of its parents is a fact of its own (`os`, `os.path`)
 * - `use`: a global, or a member of a module, is named, under whatever alias (`builtins.eval`, `os.system`)
 * - `attribute`: a name behind a dot, whatever it is read from (`__class__`)
 * - `command`: a command of a shell, without its folder (`curl`)
 * - `shape`: a construct that a query names, followed by what it is applied to (`fork-bomb`, `write-mode builtins.open`)
 */
export interface Fact {
  readonly kind: 'import' | 'use' | 'attribute' | 'command' | 'shape'
  readonly name: string
}

/** A fact and where the source says it. */
export interface FactAt extends Fact {
  /** Offset in the source, in UTF-16 code units. */
  readonly offset: number
}

/** One thing that programs should not do. */
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

/** A rule that a source trips. */
export interface PolicyFinding {
  /** Id of the rule: `python/import-os`. */
  readonly rule: string
  readonly severity: Severity
  /** One sentence: `Blocked import: os`. */
  readonly message: string
  /** The program's own file, or the path of one of the job's files. */
  readonly path: string
  /** From 1. */
  readonly line: number
}

/** What a rule does in a set; undefined if it is no part of it. */
export function severityIn(rule: Rule, rules: RuleSet): Severity | undefined {
  return rules === 'strict' ? rule.strict : rule.standard
}

/** The sentence for a tripped rule: `Blocked import: os`, `Risky import: socket`. */
export function messageOf(rule: Rule, severity: Severity): string {
  return `${severity === 'block' ? 'Blocked' : 'Risky'} ${rule.subject}`
}

/** What the rules of one group have in common. */
export interface RuleGroup {
  readonly standard?: Severity
  /** @default 'block' */
  readonly strict?: Severity
  readonly reason: string
}

/** Makes the functions that write the rules of one language down. */
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
    /** A rule per module. */
    imports: each('import', 'import'),
    /** A rule per global function. */
    functions: each('use', 'function', language === 'python' ? 'builtins.' : ''),
    /** A rule per name behind a dot. */
    attributes: each('attribute', 'attribute'),
    /** A rule per command. */
    commands: each('command', 'command'),
  }
}

/** Facts of one kind. */
export function facts(kind: Fact['kind'], ...names: string[]): Fact[] {
  return names.map((name) => ({ kind, name }))
}
