import type { Fact, Rule, RuleLanguage, Severity } from '../rule.ts'

/** What the rules of one group have in common. */
export interface Group {
  readonly standard?: Severity
  /** @default 'block' */
  readonly strict?: Severity
  readonly reason: string
}

/** Writes the rules of one language down. */
export function rulesOf(language: RuleLanguage) {
  function rule(name: string, subject: string, group: Group, facts: readonly Fact[]): Rule {
    const { standard, strict = 'block', reason } = group
    return { id: `${language}/${name}`, language, standard, strict, subject, reason, facts }
  }

  return {
    /** One rule for several facts. */
    rule,
    /** A rule per module. */
    imports: (group: Group, ...modules: string[]): Rule[] =>
      modules.map((name) =>
        rule(`import-${plain(name)}`, `import: ${name}`, group, [{ kind: 'import', name }]),
      ),
    /** A rule per function; `prefix` is where it lives (`builtins.`) and no part of its name in messages. */
    functions: (group: Group, prefix: string, ...names: string[]): Rule[] =>
      names.map((name) =>
        rule(`function-${plain(name)}`, `function: ${name}`, group, [{ kind: 'use', name: prefix + name }]),
      ),
    /** A rule per name behind a dot. */
    attributes: (group: Group, ...names: string[]): Rule[] =>
      names.map((name) =>
        rule(`attribute-${plain(name)}`, `attribute: ${name}`, group, [{ kind: 'attribute', name }]),
      ),
    /** A rule per command. */
    commands: (group: Group, ...names: string[]): Rule[] =>
      names.map((name) =>
        rule(`command-${plain(name)}`, `command: ${name}`, group, [{ kind: 'command', name }]),
      ),
  }
}

/** Facts of one kind. */
export function facts(kind: Fact['kind'], ...names: string[]): Fact[] {
  return names.map((name) => ({ kind, name }))
}

/** A name as part of an id. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
}
